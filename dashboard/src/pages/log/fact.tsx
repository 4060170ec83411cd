import type { ReactNode } from 'react';

/** A field of an entry: name and value. */
export const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt className="text-soft">{name}</dt>
    <dd>{children}</dd>
  </>
);

/** A button that filters the log by the value of the field. */
export const FilterLink = ({
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
