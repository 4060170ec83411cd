import { type ComponentProps, type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { classes } from '../ui/classes.ts';
import { Input } from '../ui/form/input.tsx';
import { wrongValueOf } from '../ui/form/wrong-value.ts';

export interface TextFilterProps
  extends Pick<ComponentProps<'input'>, 'type' | 'min' | 'max' | 'maxLength' | 'placeholder'> {
  readonly label: string;
  readonly value: string | undefined;
  /** Completes the typed text. Default: unchanged. */
  readonly tidy?: (text: string) => string;
  /** Classes of the form around the input. */
  readonly className?: string;
  readonly onFilter: (value: string | undefined) => void;
}

/** Applies the filter on Enter, or when the field loses the focus. Shows why if the value is not allowed. */
export function TextFilter(props: TextFilterProps) {
  const { label, value, tidy = (text) => text, className, onFilter, ...input } = props;
  const [typed, setTyped] = useState(value ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const problemId = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    setTyped(value ?? '');
    setProblem(null);
  }, [value]);
  const apply = (event?: FormEvent): void => {
    event?.preventDefault();
    const wrong = field.current === null ? null : wrongValueOf(field.current);
    setProblem(wrong);
    if (wrong !== null) return;
    const given = typed.trim();
    const next = given === '' ? undefined : tidy(given);
    if (next !== value) onFilter(next);
  };
  return (
    <form onSubmit={apply} noValidate className={classes('relative', className)}>
      <Input
        {...input}
        ref={field}
        aria-label={label}
        aria-invalid={problem === null ? undefined : true}
        aria-describedby={problem === null ? undefined : problemId}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={() => apply()}
      />
      {/* It moves nothing: the field may lose the focus to a click on what is below. */}
      {problem === null ? null : (
        <p
          id={problemId}
          role="alert"
          className="absolute inset-x-0 top-full z-10 mt-1 rounded-md border border-edge bg-surface p-1.5 text-sm text-bad shadow-low"
        >
          {problem}
        </p>
      )}
      {/* Without a submit button, Chromium submits a form on Enter only from fields for text and numbers. */}
      <button type="submit" hidden />
    </form>
  );
}
