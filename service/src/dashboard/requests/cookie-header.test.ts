import { describe, expect, test } from 'vitest';
import { HEADERS_MAX_BYTES } from '../../config/limits.ts';
import { parseCookies } from './cookies.ts';

const read = (header: string): object =>
  Object.fromEntries([...parseCookies(header)].map(([name, values]) => [name, [...values]]));

describe('a Cookie header', () => {
  test('is parsed to each name with its different values', () => {
    expect(read('a=1; b = "2" ;a=1;a=3=;c=')).toEqual({ a: ['1', '3='], b: ['2'], c: [''] });
    expect(read('a="; b=""; c')).toEqual({ a: [''], b: [''] });
    expect(read('')).toEqual({});
  });

  test.each([
    ['white space without a name', (n: number) => `${' '.repeat(n)}b`],
    ['white space in a value', (n: number) => `a=b${' '.repeat(n)}c`],
    ['quotes', (n: number) => `a=${'"'.repeat(n)}b`],
    ['equals signs', (n: number) => '='.repeat(n)],
    ['semicolons', (n: number) => ';'.repeat(n)],
  ])('is read in a few milliseconds, also with %s only', (_, header) => {
    const before = process.cpuUsage();
    parseCookies(header(HEADERS_MAX_BYTES));
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(50);
  });
});
