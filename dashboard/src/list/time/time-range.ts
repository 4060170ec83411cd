import type { Time } from '@svc/sdk';
import { DAY_MS, HOUR_MS } from '../../format/ms.ts';
import { timeZone } from '../../format/time-zone.ts';
import { timeOfWall } from '../../format/wall-time.ts';
import { oneOf } from '../../routes/search.ts';

/** A range of time as a filter in the URL. */

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
  /**
   * Start of a custom range: `2026-03-01T08:30Z`, so that a shared link shows the same everywhere. Without `Z`, as in links
   * of earlier releases, in the viewer's zone.
   */
  readonly from?: string | undefined;
  /** End of a custom range. */
  readonly to?: string | undefined;
}

const MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\dZ?$/;
const minute = (value: unknown): string | undefined =>
  typeof value === 'string' && MINUTE.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;

/** Reads the search parameters of the URL. */
export const timeRange = ({ range, from, to }: Readonly<Record<string, unknown>>): TimeRange => ({
  range: oneOf(range, RANGE_NAMES),
  from: minute(from),
  to: minute(to),
});

/** The bounds of the range. A range that ends now is counted back from `nowMs`. */
export function boundsOf(
  { range, from, to }: TimeRange & { readonly range: Range },
  nowMs: number,
): { readonly from?: Time | undefined; readonly to?: Time | undefined } {
  if (range === 'custom') return { from: timeOfBound(from), to: timeOfBound(to) };
  const { ms } = RANGES[range];
  return ms === null ? {} : { from: new Date(nowMs - ms).toISOString() };
}

/** A bound of a custom range as a time. */
export function timeOfBound(bound: string | undefined): Time | undefined {
  if (bound === undefined) return undefined;
  return bound.endsWith('Z') ? new Date(bound).toISOString() : timeOfWall(bound, timeZone());
}

const MINUTE_CHARACTERS = 16;
/** A time as a bound of a custom range, to the minute. */
export const boundAt = (time: Time): string => `${time.slice(0, MINUTE_CHARACTERS)}Z`;
