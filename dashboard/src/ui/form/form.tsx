import { type FormEvent, type ReactNode, useRef } from 'react';
import { ApiFailure, messageOf } from '../../api/failure.ts';
import { Problem } from '../problem.tsx';

/** The error of the service about this field, without the field's name; null if the error is not about it. */
export const fieldError = (error: unknown, field: string): string | null =>
  error instanceof ApiFailure && error.field === field
    ? sentence(error.message.replace(/^"\w+" /, ''))
    : null;

const sentence = (text: string): string =>
  /^(?:is|was) /.test(text) ? `This ${text}` : text.charAt(0).toUpperCase() + text.slice(1);

export interface FormProps {
  readonly action: {
    /** Sends the form. Resolves to whether that succeeded. */
    readonly run: () => Promise<boolean>;
    readonly error: Error | null;
  };
  /** Names of the fields that show their own errors. */
  readonly fields: readonly string[];
  /** Whether the form can be sent again after a success. Default: no, because the form closes. */
  readonly repeatable?: boolean;
  /** The buttons. The error is shown above them. */
  readonly actions: ReactNode;
  readonly children: ReactNode;
}

/** A form that ignores a second submit while the first one runs. After a failure it keeps its values. */
export function Form({ action: { run, error }, fields, repeatable = false, actions, children }: FormProps) {
  // A ref, not state: a second click can come before the next render.
  const locked = useRef(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (locked.current) return;
    locked.current = true;
    const succeeded = await run();
    locked.current = succeeded && !repeatable;
  };
  const own = error instanceof ApiFailure && error.field !== null && fields.includes(error.field);
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      {children}
      {error === null || own ? null : <Problem>{messageOf(error)}</Problem>}
      {actions}
    </form>
  );
}
