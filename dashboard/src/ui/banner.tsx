import { TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { focusMain } from './move-focus.ts';

export interface BannerProps {
  /** Name of the region, for screen readers. */
  readonly label: string;
  readonly tone: 'warn' | 'bad';
  /** Shows a button that dismisses the banner. Default: it cannot be dismissed. */
  readonly onDismiss?: (() => void) | undefined;
  readonly children: ReactNode;
}

const TONES = { warn: 'bg-warn-ground text-warn', bad: 'bg-bad-ground text-bad' } as const;

/** A notice at the top of every page of a workspace. */
export const Banner = ({ label, tone, onDismiss, children }: BannerProps) => (
  <section
    aria-label={label}
    className={classes('flex items-start gap-2 border-b border-line px-4 py-2.5 sm:px-6', TONES[tone])}
  >
    <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
    <p className="min-w-0 grow wrap-anywhere">{children}</p>
    {onDismiss === undefined ? null : (
      <button
        type="button"
        onClick={() => {
          focusMain();
          onDismiss();
        }}
        aria-label="Dismiss"
        className="-m-1 shrink-0 rounded p-1.5"
      >
        <X size={16} aria-hidden />
      </button>
    )}
  </section>
);
