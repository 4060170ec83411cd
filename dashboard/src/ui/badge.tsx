import type { ReactNode } from 'react';
import { classes } from './classes.ts';

const TONES = {
  neutral: 'bg-sunken text-soft border-line',
  accent: 'bg-accent-ground text-accent border-transparent',
  good: 'bg-good-ground text-good border-transparent',
  warn: 'bg-warn-ground text-warn border-transparent',
  bad: 'bg-bad-ground text-bad border-transparent',
} as const;

export type Tone = keyof typeof TONES;

export interface BadgeProps {
  readonly tone?: Tone;
  readonly children: ReactNode;
}

/** A short status. Its text says everything; the colour only helps. */
export const Badge = ({ tone = 'neutral', children }: BadgeProps) => (
  <span
    className={classes(
      'inline-flex h-5 items-center rounded-full border px-2 text-xs font-medium whitespace-nowrap',
      TONES[tone],
    )}
  >
    {children}
  </span>
);
