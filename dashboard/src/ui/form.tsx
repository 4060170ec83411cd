import type { UseMutationResult } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { ApiFailure, messageOf } from '../api/failure.ts';
import { Problem } from './problem.tsx';

/** What the service says of one field, without the field's name, which stands above it. */
export const fieldError = (error: unknown, field: string): string | null =>
  error instanceof ApiFailure && error.field === field
    ? sentence(error.message.replace(/^"\w+" /, ''))
    : null;

const sentence = (text: string): string =>
  text.startsWith('is ') ? `This ${text}` : text.charAt(0).toUpperCase() + text.slice(1);

export interface FormProps {
  readonly mutation: Pick<UseMutationResult<unknown, Error, void>, 'mutate' | 'error' | 'isPending'>;
  /** The fields that show their own errors. */
  readonly fields: readonly string[];
  /** The buttons; what went wrong stands above them. */
  readonly actions: ReactNode;
  readonly children: ReactNode;
}

/** A form that sends itself once at a time. Nothing that was typed is lost. */
export function Form({ mutation, fields, actions, children }: FormProps) {
  const { mutate, error, isPending } = mutation;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isPending) mutate();
  };
  const own = error instanceof ApiFailure && error.field !== null && fields.includes(error.field);
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {children}
      {error === null || own ? null : <Problem>{messageOf(error)}</Problem>}
      {actions}
    </form>
  );
}
