import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';

export interface Action<Data, Variables> {
  /**
   * Sends the request, unless one is running. Resolves to true if this call ran and succeeded; a failure is in `error`.
   * The call sets the lock itself: `isPending` changes with the next render, which is too late for a double click.
   */
  readonly run: (variables: Variables) => Promise<boolean>;
  readonly data: Data | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly isSuccess: boolean;
  /** The variables of the last run. */
  readonly variables: Variables | undefined;
  /** Forgets the last run, even if it is still running. */
  readonly reset: () => void;
}

/** A request that changes something. Only this hook uses useMutation, so no button and no form sends twice. */
export function useAction<Data, Variables = void>(
  options: UseMutationOptions<Data, Error, Variables>,
): Action<Data, Variables> {
  const { mutateAsync, data, error, isPending, isSuccess, variables, reset } = useMutation(options);
  const running = useRef<object | null>(null);
  const run = useCallback(
    async (given: Variables): Promise<boolean> => {
      if (running.current !== null) return false;
      const own = {};
      running.current = own;
      try {
        await mutateAsync(given);
        return true;
      } catch {
        return false;
      } finally {
        if (running.current === own) running.current = null;
      }
    },
    [mutateAsync],
  );
  const forget = useCallback((): void => {
    running.current = null;
    reset();
  }, [reset]);
  return { run, data, error, isPending, isSuccess, variables, reset: forget };
}
