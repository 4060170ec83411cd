import type { ReactNode } from 'react';

export interface CheckboxProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
}

export const Checkbox = ({ checked, onChange, children }: CheckboxProps) => (
  <label className="flex w-fit cursor-pointer items-center gap-2.5 py-1">
    <input
      type="checkbox"
      checked={checked}
      onChange={({ target }) => onChange(target.checked)}
      className="size-4 shrink-0 cursor-pointer accent-accent"
    />
    {children}
  </label>
);
