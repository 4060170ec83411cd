import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export interface ProblemProps {
  readonly className?: string;
  readonly children: ReactNode;
}

/** An error message. Screen readers announce it when it appears. */
export const Problem = ({ className, children }: ProblemProps) => (
  <div
    role="alert"
    className={classes('flex gap-2 rounded-md bg-bad-ground px-3 py-2 text-bad wrap-anywhere', className)}
  >
    <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
    <div className="min-w-0">{children}</div>
  </div>
);
