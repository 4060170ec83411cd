import { SvcError } from './errors.ts';

/** Timers of more than this, 24 days, go off at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface NumberLimits {
  readonly min: number;
  /** Default Infinity. */
  readonly max?: number;
  /** Default true; infinity is whole. */
  readonly whole?: boolean;
}

/** The number, when it is within its limits; throws {@link SvcError} that names the option otherwise. */
export function checkedNumber(
  name: string,
  value: number,
  { min, max = Number.POSITIVE_INFINITY, whole = true }: NumberLimits,
): number {
  // Written so that NaN is refused too.
  const within = value >= min && value <= max;
  if (typeof value === 'number' && within && (!whole || value === Math.floor(value))) return value;
  const above = Number.isFinite(max) ? `from ${min} to ${max}` : `from ${min} on`;
  throw new SvcError(`"${name}" must be a ${whole ? 'whole ' : ''}number ${above}, not ${String(value)}.`);
}
