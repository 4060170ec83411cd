import { DAY_MS, HOUR_MS } from '../config/time.ts';
import { ApiError } from '../http/errors.ts';
import { HOURLY_MAX_MS } from './limits.ts';
import type { RangeName } from './wire.ts';

/** The time range of a plot, and the spans into which it is divided. */

const RANGES_MS: Readonly<Record<RangeName, number>> = {
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
  '1y': 365 * DAY_MS,
};
/** Every plot has it. */
const RANGE_DEFAULT: RangeName = '7d';
const STEPS_MS = { hour: HOUR_MS, day: DAY_MS } as const;

/** The length of the range that a request names, in milliseconds. `names`: the ranges of the plot. Default: all. */
export function parseRange(
  value: unknown = RANGE_DEFAULT,
  names: readonly RangeName[] = Object.keys(RANGES_MS) as RangeName[],
): number {
  const name = names.find((known) => known === value);
  if (name !== undefined) return RANGES_MS[name];
  throw new ApiError('invalid_parameter', `"range" must be one of ${names.join(', ')}.`);
}

/** Whole hours or, in a longer range, days (UTC). The last one is the present one. */
export function spansOf(lengthMs: number, nowMs: number) {
  const step = lengthMs <= HOURLY_MAX_MS ? 'hour' : 'day';
  const stepMs = STEPS_MS[step];
  const fromMs = Math.floor(nowMs / stepMs) * stepMs - lengthMs + stepMs;
  return {
    step,
    fromMs,
    /** The figures of each span, of the rows that start at its time in milliseconds. */
    map: <Row extends { readonly at: number }, Figures>(
      rows: readonly Row[],
      figuresOf: (rows: readonly Row[]) => Figures,
    ): readonly (Figures & { readonly at: string })[] => {
      const bySpan = Map.groupBy(rows, ({ at }) => at);
      return Array.from({ length: lengthMs / stepMs }, (_, i) => {
        const at = fromMs + i * stepMs;
        return { at: new Date(at).toISOString(), ...figuresOf(bySpan.get(at) ?? []) };
      });
    },
  } as const;
}
