import type { Time } from '@svc/sdk';
import { oneOf } from '../routes/search.ts';

/** A range of time as a filter in the URL. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Time ranges that end now. Null: all that is kept. */
export const RANGES = {
  '1h': { label: 'Last hour', ms: HOUR_MS },
  '24h': { label: 'Last 24 hours', ms: DAY_MS },
  '7d': { label: 'Last 7 days', ms: 7 * DAY_MS },
  '30d': { label: 'Last 30 days', ms: 30 * DAY_MS },
  all: { label: 'All time', ms: null },
} as const satisfies Record<string, { readonly label: string; readonly ms: number | null }>;
export type Range = keyof typeof RANGES | 'custom';
const RANGE_NAMES = [...(Object.keys(RANGES) as (keyof typeof RANGES)[]), 'custom'] as const;

export interface TimeRange {
  /** Default: that of the page. */
  readonly range?: Range | undefined;
  /** Start of a custom range, in the viewer's zone: `2026-03-01T09:30`. */
  readonly from?: string | undefined;
  /** End of a custom range. */
  readonly to?: string | undefined;
}

const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;
const localTime = (value: unknown): string | undefined =>
  typeof value === 'string' && LOCAL_TIME.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;

/** Reads the search parameters of the URL. */
export const timeRange = ({ range, from, to }: Readonly<Record<string, unknown>>): TimeRange => ({
  range: oneOf(range, RANGE_NAMES),
  from: localTime(from),
  to: localTime(to),
});

/** The bounds of the range. A range that ends now is counted back from `nowMs`. */
export function boundsOf(
  { range, from, to }: TimeRange & { readonly range: Range },
  nowMs: number,
): { readonly from?: Time | undefined; readonly to?: Time | undefined } {
  if (range === 'custom') return { from: utc(from), to: utc(to) };
  const { ms } = RANGES[range];
  return ms === null ? {} : { from: new Date(nowMs - ms).toISOString() };
}

const utc = (local: string | undefined): Time | undefined =>
  local === undefined ? undefined : new Date(local).toISOString();
