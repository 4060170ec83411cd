import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';

/** Numbers that depend only on the seed. */
export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  /** An integer from `least` to `most`, both included. */
  integer(least: number, most: number): number;
  pick<T>(values: readonly [T, ...T[]]): T;
  /** So many of the values, in their order. All of them if there are no more. */
  some<T>(values: readonly T[], count: number): T[];
}

export function randomOf(seed: number): Random {
  const generator = mersenne(seed);
  const integer = (least: number, most: number): number => uniformInt(generator, least, most);
  return {
    next: () => uniformFloat64(generator),
    integer,
    pick: (values) => values[integer(0, values.length - 1)] ?? values[0],
    some: (values, count) => {
      const left = [...values];
      while (left.length > count) left.splice(integer(0, left.length - 1), 1);
      return left;
    },
  };
}
