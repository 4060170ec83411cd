import type { ComponentProps } from 'react';
import { classes } from './classes.ts';

export interface TableProps extends ComponentProps<'table'> {
  /** Name of the table, for screen readers. */
  readonly label: string;
}

/** A table that scrolls sideways if it is too wide, also by keyboard. */
export const Table = ({ label, className, ...props }: TableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
  <section aria-label={label} tabIndex={0} className="overflow-x-auto focus-visible:-outline-offset-2">
    <table {...props} className={classes('w-full border-collapse text-start', className)} />
  </section>
);

export const TableHead = (props: ComponentProps<'thead'>) => (
  <thead {...props} className="border-b border-line bg-sunken text-xs text-soft" />
);

export const TableBody = (props: ComponentProps<'tbody'>) => (
  <tbody {...props} className="divide-y divide-line" />
);

export const Row = ({ className, ...props }: ComponentProps<'tr'>) => (
  <tr {...props} className={classes('hover:bg-hover/50', className)} />
);

export const HeadCell = ({ className, ...props }: ComponentProps<'th'>) => (
  <th
    scope="col"
    {...props}
    className={classes('h-8 px-3 text-start font-medium whitespace-nowrap first:ps-4 last:pe-4', className)}
  />
);

export const Cell = ({ className, ...props }: ComponentProps<'td'>) => (
  <td {...props} className={classes('h-11 px-3 py-1.5 align-middle first:ps-4 last:pe-4', className)} />
);
