import { type ComponentProps, type FormEvent, useEffect, useRef, useState } from 'react';
import { Input } from '../ui/form/input.tsx';

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

/** Applies the filter on Enter, or when the field loses the focus. A value that the field does not allow is not applied. */
export function TextFilter(props: TextFilterProps) {
  const { label, value, tidy = (text) => text, className, onFilter, ...input } = props;
  const [typed, setTyped] = useState(value ?? '');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => setTyped(value ?? ''), [value]);
  const apply = (event?: FormEvent): void => {
    event?.preventDefault();
    if (field.current?.validity.valid === false) return;
    const given = typed.trim();
    const next = given === '' ? undefined : tidy(given);
    if (next !== value) onFilter(next);
  };
  return (
    <form onSubmit={apply} noValidate className={className}>
      <Input
        {...input}
        ref={field}
        aria-label={label}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={() => apply()}
      />
      {/* Without a submit button, Chromium submits a form on Enter only from fields for text and numbers. */}
      <button type="submit" hidden />
    </form>
  );
}
