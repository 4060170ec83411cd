import { DAY_MS } from '../../config/time.ts';
import { ApiError } from '../../http/errors.ts';

/** How far back a plot goes; imported by the pages too. */
export const RANGES_MS = {
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
  '1y': 365 * DAY_MS,
} as const;
export type RangeName = keyof typeof RANGES_MS;
const RANGE_NAMES = Object.keys(RANGES_MS) as readonly RangeName[];
const RANGE_DEFAULT: RangeName = '7d';

export function parseRange(value: unknown): RangeName {
  const range = value === undefined ? RANGE_DEFAULT : RANGE_NAMES.find((name) => name === value);
  if (range !== undefined) return range;
  throw new ApiError('invalid_parameter', `"range" must be one of ${RANGE_NAMES.join(', ')}.`);
}
