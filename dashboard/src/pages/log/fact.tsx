import type { ReactNode } from 'react';

/** A line of an entry: its name and what it says. */
export const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt className="text-soft">{name}</dt>
    <dd>{children}</dd>
  </>
);

/** Filters the log by what the line says. */
export const Only = ({
  onClick,
  children,
}: {
  readonly onClick: () => void;
  readonly children: ReactNode;
}) => (
  <button type="button" onClick={onClick} className="ms-3 rounded text-sm text-accent hover:underline">
    {children}
  </button>
);
