import { isToken } from '@svc/sdk/contract';
import { describe, expect, test } from 'vitest';
import { containsEncodedToken } from './request.ts';

const TOKEN = `svc_live_${'aB3-_'.repeat(6)}xy`;
const encode = (text: string): string =>
  [...text].map((c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');

describe('isToken', () => {
  test.each([TOKEN, TOKEN.replace('live', 'test')])('%s is one', (text) => {
    expect(isToken(text)).toBe(true);
  });

  test.each([
    '',
    `${TOKEN}a`,
    TOKEN.slice(0, -1),
    ` ${TOKEN}`,
    `${TOKEN}\n`,
    TOKEN.replace('live', 'prod'),
    TOKEN.toUpperCase(),
  ])('%j is none', (text) => {
    expect(isToken(text)).toBe(false);
  });
});

describe('containsEncodedToken', () => {
  const rounds = [TOKEN, encode(TOKEN), encode(encode(TOKEN)), encode(encode(encode(TOKEN)))];
  test.each(rounds)('finds a token in the middle of text, percent-encoded up to three times', (text) => {
    expect(containsEncodedToken(`/v1/audits?x=1%20${text}%&y`)).toBe(true);
  });

  test.each(['', '/v1/audits', TOKEN.slice(0, -1), 'svc_live_', '%', '%zz', '%2', TOKEN.replace('_', '')])(
    'finds none in %j',
    (text) => {
      expect(containsEncodedToken(text)).toBe(false);
    },
  );

  test('takes almost no time for a text as long as the longest URL, however often it is encoded', () => {
    const text = `%${'25'.repeat(8_000)}`;
    const before = performance.now();
    expect(containsEncodedToken(text)).toBe(false);
    expect(performance.now() - before).toBeLessThan(100);
  });
});
