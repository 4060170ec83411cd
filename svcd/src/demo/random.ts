/** Pseudo-random numbers (mulberry32), the same in every run. */
export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  /** An integer, both ends included. */
  integer(min: number, max: number): number;
  pick<T>(items: readonly T[]): T;
  /** About `mean`, most within one `spread`. */
  around(mean: number, spread: number): number;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    integer,
    pick: (items) => {
      const item = items[integer(0, items.length - 1)];
      if (item === undefined) throw new RangeError('There is nothing to pick from.');
      return item;
    },
    // The sum of three approximates a normal distribution.
    around: (mean, spread) => mean + (next() + next() + next() - 1.5) * 2 * spread,
  };
}
