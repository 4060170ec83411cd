import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

export interface EmptyStateProps {
  readonly icon: LucideIcon;
  readonly title: string;
  /** Why there is nothing to show, and what to do. */
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  /** Use h1 if the page has no other heading. Default: h2. */
  readonly heading?: 'h1' | 'h2';
}

export const EmptyState = ({
  icon: Icon,
  title,
  children,
  actions,
  heading: Heading = 'h2',
}: EmptyStateProps) => (
  <div className="flex flex-col items-center gap-3 px-6 py-12 text-center">
    <span className="flex size-10 items-center justify-center rounded-lg border border-line bg-sunken text-soft">
      <Icon size={20} aria-hidden />
    </span>
    <div className="max-w-md">
      <Heading className="font-semibold">{title}</Heading>
      <div className="mt-1 text-soft">{children}</div>
    </div>
    {actions === undefined ? null : <div className="mt-1 flex flex-wrap justify-center gap-2">{actions}</div>}
  </div>
);
