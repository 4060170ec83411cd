import { ChevronsUpDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classes } from '../classes.ts';
import { CONTROL_CLASS } from './input.tsx';

interface Option {
  readonly value: string;
  readonly label: string;
  readonly disabled?: boolean;
}

export interface SelectProps extends ComponentProps<'select'> {
  /** The options, or groups of them. */
  readonly options: readonly (Option | { readonly group: string; readonly options: readonly Option[] })[];
}

const optionElement = ({ value, label, disabled }: Option) => (
  <option key={value} value={value} disabled={disabled}>
    {label}
  </option>
);

/** A native select, which works with every keyboard, screen reader and phone. */
export function Select({ options, className, ...props }: SelectProps) {
  return (
    <span className={classes('relative inline-flex min-w-0', className)}>
      <select {...props} className={classes(CONTROL_CLASS, 'select h-8 appearance-none truncate pe-8')}>
        {options.map((option) =>
          'group' in option ? (
            <optgroup key={option.group} label={option.group}>
              {option.options.map(optionElement)}
            </optgroup>
          ) : (
            optionElement(option)
          ),
        )}
      </select>
      <ChevronsUpDown
        size={14}
        aria-hidden
        className="pointer-events-none absolute end-2.5 top-1/2 -translate-y-1/2 text-soft"
      />
    </span>
  );
}
