import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export interface CardProps {
  readonly className?: string;
  readonly children: ReactNode;
}

/** A surface for one thing, such as a table, a form or a plot. */
export const Card = ({ className, children }: CardProps) => (
  <div className={classes('rounded-lg border border-line bg-surface shadow-low', className)}>{children}</div>
);

export interface SectionProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** Without padding, for a table or a list. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

/** A card with a heading. */
export const Section = ({ title, description, actions, flush = false, children }: SectionProps) => (
  <Card className="overflow-hidden">
    <section aria-label={title}>
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 border-b border-line px-4 py-3">
        <div className="min-w-0 max-w-2xl flex-1 basis-40">
          <h2 className="font-semibold wrap-anywhere">{title}</h2>
          {description === undefined ? null : <p className="mt-0.5 text-sm text-soft">{description}</p>}
        </div>
        {actions}
      </header>
      <div className={classes(!flush && 'p-4')}>{children}</div>
    </section>
  </Card>
);
