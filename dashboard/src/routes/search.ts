/** Readers for search parameters of the URL. An invalid value reads as undefined. */

export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const oneOf = <const V extends string>(value: unknown, allowed: readonly V[]): V | undefined =>
  allowed.find((candidate) => candidate === value);
