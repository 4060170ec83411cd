import { type FormEvent, type ReactNode, useRef } from 'react';
import { ApiFailure, messageOf } from '../../api/failure.ts';
import { Problem } from '../problem.tsx';

/** What the service says of one field, without the field's name, which stands above it. */
export const fieldError = (error: unknown, field: string): string | null =>
  error instanceof ApiFailure && error.field === field
    ? sentence(error.message.replace(/^"\w+" /, ''))
    : null;

const sentence = (text: string): string =>
  text.startsWith('is ') ? `This ${text}` : text.charAt(0).toUpperCase() + text.slice(1);

export interface FormProps {
  readonly action: {
    /** Resolves to whether it succeeded. */
    readonly run: () => Promise<boolean>;
    readonly error: Error | null;
  };
  /** The fields that show their own errors. */
  readonly fields: readonly string[];
  /** Whether it can be sent again after it succeeded. Default: no, the form is about to close. */
  readonly repeatable?: boolean;
  /** The buttons; what went wrong stands above them. */
  readonly actions: ReactNode;
  readonly children: ReactNode;
}

/** A form that sends itself once at a time. Nothing that was typed is lost. */
export function Form({ action: { run, error }, fields, repeatable = false, actions, children }: FormProps) {
  // Set in the event: a second click comes before the next render.
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
