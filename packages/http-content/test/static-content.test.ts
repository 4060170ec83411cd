import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compress, preferredType } from '../src/static-content.ts';

test('each encoding decodes to the text', async () => {
  const text = 'a text, and again a text, à la carte …';
  const { br, gzip, identity } = await compress(text);
  expect([brotliDecompressSync(br), gunzipSync(gzip), identity].map(String)).toEqual([text, text, text]);
});

test.each([
  [undefined, 'text/html'],
  ['', 'text/html'],
  ['*/*', 'text/html'],
  ['text/*', 'text/html'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
  ['text/markdown', 'text/markdown'],
  ['Text/Markdown; charset=utf-8, */*', 'text/markdown'],
  ['text/markdown, text/html;q=0.9, */*;q=0.1', 'text/markdown'],
  ['text/html, text/markdown', 'text/html'],
  ['text/html;q=0.5, text/markdown;q=0.75', 'text/markdown'],
  ['text/markdown;q=0, */*', 'text/html'],
  ['text/markdown;q=abc', 'text/markdown'],
])('Accept: %s prefers %s', (header, type) => {
  expect(preferredType(header, ['text/html', 'text/markdown'])).toBe(type);
});
