import { Progress } from 'radix-ui';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

const WHOLE_PERCENT = 100;

export interface ProgressBarProps {
  /** What is in progress, for screen readers. */
  readonly label: string;
  /** 0 to 1. Null: not known. */
  readonly share: number | null;
  /** Shown above the bar. */
  readonly children: ReactNode;
}

export const ProgressBar = ({ label, share, children }: ProgressBarProps) => (
  <div className="flex flex-col gap-3">
    <div className="flex items-baseline justify-between gap-4">{children}</div>
    <Progress.Root
      aria-label={label}
      value={share === null ? null : Math.round(share * WHOLE_PERCENT)}
      className="h-2 overflow-hidden rounded-full bg-line"
    >
      <Progress.Indicator
        className={classes(
          'h-full rounded-full bg-accent transition-[width]',
          share === null && 'animate-pulse opacity-50',
        )}
        style={{ width: `${(share ?? 1) * WHOLE_PERCENT}%` }}
      />
    </Progress.Root>
  </div>
);
