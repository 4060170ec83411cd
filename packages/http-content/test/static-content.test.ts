import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compress, encodingOf } from '../src/static-content.ts';

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['GZIP', 'gzip'],
  ['gzip;q=1.0, br;q=0.5', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['br; q=0.000, gzip;q=0', 'identity'],
  ['zstd', 'identity'],
  ['', 'identity'],
  [undefined, 'identity'],
] as const)('Accept-Encoding: %s is answered in %s', (header, encoding) => {
  expect(encodingOf(header)).toBe(encoding);
});

test('each encoding decodes to the text', async () => {
  const text = 'a text, and again a text, à la carte …';
  const { br, gzip, identity } = await compress(text);
  expect([brotliDecompressSync(br), gunzipSync(gzip), identity].map(String)).toEqual([text, text, text]);
});
