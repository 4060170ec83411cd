import type { ComponentProps, ReactNode } from 'react';
import { Field } from './field.tsx';
import { Input } from './input.tsx';

export interface TextFieldProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A text input with its label. */
export const TextField = ({ label, hint, error, value, onChange, ...input }: TextFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => (
      <Input {...input} {...control} value={value} onChange={({ target }) => onChange(target.value)} />
    )}
  </Field>
);
