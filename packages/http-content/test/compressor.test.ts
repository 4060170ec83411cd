import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { COMPRESSED_AT_ONCE_MAX_BYTES, COMPRESSED_MIN_BYTES, createCompressor } from '../src/compressor.ts';
import { encodingOf, refusesIdentity } from '../src/encoding.ts';

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['GZIP', 'gzip'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['gzip;q=0.5, br;q=0.50', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['br; q=0.000, gzip;q=0', 'identity'],
  ['*', 'br'],
  ['*;q=0.1, br;q=0', 'gzip'],
  ['identity, gzip;q=0.5', 'identity'],
  ['identity;q=0.5, gzip', 'gzip'],
  ['gzip, identity;q=0', 'gzip'],
  ['identity;q=0', 'identity'],
  ['*;q=0', 'identity'],
  ['zstd', 'identity'],
  ['gzip;q=abc', 'gzip'],
  ['', 'identity'],
  [undefined, 'identity'],
] as const)('Accept-Encoding: %s is answered in %s', (header, encoding) => {
  expect(encodingOf(header)).toBe(encoding);
});

test.each([
  ['identity;q=0', true],
  ['*;q=0', true],
  ['gzip, *;q=0, identity;q=0.1', false],
  ['gzip', false],
  ['', false],
  [undefined, false],
] as const)('Accept-Encoding: %s refuses what is not compressed: %s', (header, refuses) => {
  expect(refusesIdentity(header)).toBe(refuses);
});

const SMALL = 'x'.repeat(COMPRESSED_MIN_BYTES - 1);
const MIDDLE = 'à la carte, and again '.repeat(200);
const LARGE = 'a line of a large page\n'.repeat(COMPRESSED_AT_ONCE_MAX_BYTES / 10);

test('compresses what is large enough, in the encoding that the client prefers', async () => {
  const compress = createCompressor({ threads: 1 });
  for (const text of [MIDDLE, LARGE]) {
    const [br, gzip] = [await compress('gzip, br', text), await compress('gzip', text)];
    expect([br?.encoding, gzip?.encoding]).toEqual(['br', 'gzip']);
    expect(String(brotliDecompressSync(br?.body ?? ''))).toBe(text);
    expect(String(gunzipSync(gzip?.body ?? ''))).toBe(text);
    expect(compress(undefined, text)).toBeUndefined();
  }
  expect(compress('gzip', SMALL)).toBeUndefined();
  expect(await compress('gzip, identity;q=0', SMALL)).toMatchObject({ encoding: 'gzip' });
});

test('compresses only so many large bodies at the same time, and others are sent as they are', async () => {
  const compress = createCompressor({ threads: 2 });
  const begun = Array.from({ length: 5 }, () => compress('br', LARGE));
  expect(begun.map((each) => each !== undefined)).toEqual([true, true, false, false, false]);
  expect(compress('br', MIDDLE)).toMatchObject({ encoding: 'br' });
  await Promise.all(begun);
  expect(await compress('br', LARGE)).toMatchObject({ encoding: 'br' });
});
