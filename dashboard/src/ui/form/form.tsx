import { type FormEvent, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { ApiFailure, messageOf } from '../../api/failure.ts';
import { intoView } from '../into-view.ts';
import { Problem } from '../problem.tsx';
import { useUnsaved } from './unsaved.ts';
import { NO_WRONG_VALUES, WrongValuesOfForm, wrongValueOf, wrongValuesOf } from './wrong-value.ts';

/**
 * The error of the service about this field, without the field's name, and without “or null”, which no form has; null if the
 * error is not about it.
 */
export const fieldError = (error: unknown, field: string): string | null =>
  error instanceof ApiFailure && error.field === field
    ? sentence(error.message.replace(/^"\w+" /, '').replaceAll(', or null', ''))
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
  /**
   * Whether the form has input that must not be lost without a question: it differs from what is stored. Always false for
   * passwords, codes and confirmations.
   */
  readonly unsaved: boolean;
  /** Whether the form can be sent again after a success. Default: no, because the form closes. */
  readonly repeatable?: boolean;
  /** The buttons. The error is shown above them. */
  readonly actions: ReactNode;
  readonly children: ReactNode;
}

/**
 * A form that ignores a second submit while the first one runs. After a failure it keeps its values. A field shows what is
 * wrong with its value, and the first wrong one gets the focus. Another error scrolls into view.
 */
export function Form(props: FormProps) {
  const { action, fields, unsaved, repeatable = false, actions, children } = props;
  const { run, error } = action;
  // A ref, not state: a second click can come before the next render.
  const locked = useRef(false);
  const form = useRef<HTMLFormElement>(null);
  const problem = useRef<HTMLDivElement>(null);
  const [wrong, setWrong] = useState(NO_WRONG_VALUES);
  // The number of refused submits, and the last one whose error the person was led to.
  const [refused, setRefused] = useState(0);
  const focused = useRef(0);
  useUnsaved(
    unsaved,
    useCallback(() => locked.current, []),
  );
  // After each render: the error of the service may be shown later than the submit ends.
  useEffect(() => {
    if (focused.current === refused) return;
    const first = form.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    if (first == null && problem.current === null) return;
    focused.current = refused;
    if (first == null) intoView(problem.current);
    else first.focus();
  });
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (locked.current) return;
    const found = wrongValuesOf(event.currentTarget);
    setWrong(found);
    if (found.size > 0) return setRefused((count) => count + 1);
    locked.current = true;
    const succeeded = await run();
    locked.current = succeeded && !repeatable;
    if (!succeeded) setRefused((count) => count + 1);
  };
  /** An error goes away as soon as the value is right. A value that is being typed is not yet called wrong. */
  const check = ({ target }: FormEvent): void => {
    focused.current = refused;
    if (!(target instanceof Element) || !wrong.has(target.id)) return;
    const next = new Map(wrong);
    const problem = wrongValueOf(target);
    if (problem === null) next.delete(target.id);
    else next.set(target.id, problem);
    setWrong(next);
  };
  const own = error instanceof ApiFailure && error.field !== null && fields.includes(error.field);
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => void submit(event)}
      onInput={check}
      className="flex flex-col gap-4"
    >
      <WrongValuesOfForm value={wrong}>{children}</WrongValuesOfForm>
      {error === null || own ? null : (
        <div ref={problem} className="scroll-mb-20">
          <Problem>{messageOf(error)}</Problem>
        </div>
      )}
      {actions}
    </form>
  );
}
