import { SvcError } from './errors.ts';

/** The longest delay of a timer, 24 days. A longer timer fires immediately. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface NumberLimits {
  readonly min: number;
  /** @default Infinity */
  readonly max?: number;
  /**
   * Whether the number must be whole. Infinity counts as whole.
   * @default true
   */
  readonly whole?: boolean;
}

/** Returns the number if it is within its limits. Throws an {@link SvcError} that names the option otherwise. */
export function checkedNumber(
  name: string,
  value: number,
  { min, max = Number.POSITIVE_INFINITY, whole = true }: NumberLimits,
): number {
  // These comparisons are false for NaN, so NaN is refused as well.
  const within = value >= min && value <= max;
  if (typeof value === 'number' && within && (!whole || value === Math.floor(value))) return value;
  const above = Number.isFinite(max) ? `from ${min} to ${max}` : `of at least ${min}`;
  throw new SvcError(`"${name}" must be a ${whole ? 'whole ' : ''}number ${above}, not ${String(value)}.`);
}

export const checkedTimeout = (timeoutMs: number): number =>
  checkedNumber('timeoutMs', timeoutMs, { min: 1, whole: false });

export const checkedRetries = (retries: number): number => checkedNumber('retries', retries, { min: 0 });
