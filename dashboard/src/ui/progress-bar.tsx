import { Progress } from 'radix-ui';
import type { ReactNode } from 'react';

const WHOLE_PERCENT = 100;

export interface ProgressBarProps {
  /** What is in progress, for screen readers. */
  readonly label: string;
  /** 0 to 1. */
  readonly share: number;
  /** Shown above the bar. */
  readonly children: ReactNode;
}

export const ProgressBar = ({ label, share, children }: ProgressBarProps) => (
  <div className="flex flex-col gap-3">
    <div className="flex items-baseline justify-between gap-4">{children}</div>
    <Progress.Root
      aria-label={label}
      value={Math.round(share * WHOLE_PERCENT)}
      className="h-2 overflow-hidden rounded-full bg-line"
    >
      <Progress.Indicator
        className="h-full rounded-full bg-accent transition-[width]"
        style={{ width: `${share * WHOLE_PERCENT}%` }}
      />
    </Progress.Root>
  </div>
);
