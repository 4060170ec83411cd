import type { ReactNode } from 'react';

/** A list of names and values. */
export const Details = ({ children }: { readonly children: ReactNode }) => (
  <dl className="grid grid-cols-[minmax(5.5rem,auto)_minmax(0,1fr)] items-baseline gap-x-4 gap-y-2.5 wrap-anywhere sm:gap-x-6">
    {children}
  </dl>
);

export interface ItemProps {
  readonly label: string;
  readonly children: ReactNode;
}

export const Item = ({ label, children }: ItemProps) => (
  <div className="contents">
    <dt className="text-soft">{label}</dt>
    <dd className="min-w-0">{children}</dd>
  </div>
);

/** Short codes, side by side. */
export const CodeList = ({ codes }: { readonly codes: readonly string[] }) => (
  <ul className="flex flex-wrap gap-x-3 gap-y-1">
    {codes.map((code) => (
      <li key={code}>
        <code>{code}</code>
      </li>
    ))}
  </ul>
);
