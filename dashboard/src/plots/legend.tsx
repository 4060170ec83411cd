import type { Time } from '@svc/sdk';
import type { ReactNode } from 'react';
import { formatNumber } from '../format/number.ts';
import { formatHour, formatUtcDay } from '../format/time.ts';

/** The name of a span of time: its hour, or its day in UTC. Without a span: "Total". */
export function spanName(step: 'hour' | 'day', span: { readonly at: Time } | undefined): string {
  if (span === undefined) return 'Total';
  return step === 'day' ? formatUtcDay(span.at) : formatHour(span.at);
}

/** "12 ms", or "No data" for null. */
export const latencyText = (ms: number | null): string =>
  ms === null ? 'No data' : `${formatNumber(ms)} ms`;

export interface LegendProps {
  /** The span that the values are about, or "Total". */
  readonly name: string;
  readonly children: ReactNode;
}

/** The names, colours and values of what a plot shows. */
export const Legend = ({ name, children }: LegendProps) => (
  <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
    <span className="text-soft">{name}</span>
    {children}
  </div>
);

export interface LegendItemProps {
  /** Class of its colour. Default: no colour. */
  readonly className?: string;
  readonly label: string;
  readonly value: ReactNode;
}

export const LegendItem = ({ className, label, value }: LegendItemProps) => (
  <span className="flex items-center gap-1.5 whitespace-nowrap">
    {className === undefined ? null : <span aria-hidden className={`size-2.5 rounded-xs ${className}`} />}
    {label}
    <span className="font-medium tabular-nums">{value}</span>
  </span>
);
