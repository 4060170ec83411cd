/** Readers for what stands in the address behind the question mark: anything odd is as if it were not there. */

export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const oneOf = <const V extends string>(value: unknown, allowed: readonly V[]): V | undefined =>
  allowed.find((candidate) => candidate === value);
