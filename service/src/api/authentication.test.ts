import { describe, expect, test } from 'vitest';
import { parseBearer } from './authentication.ts';

const TOKEN = `svc_live_${'a'.repeat(32)}`;

describe('parseBearer', () => {
  test.each([
    undefined,
    '',
    'Bearer',
    'bearer ',
    'Bearer   ',
    'Basic abc',
    TOKEN,
    `Bearer${TOKEN}`,
    `Token ${TOKEN}`,
  ])('no token was sent in %j', (header) => {
    expect(parseBearer(header)).toEqual({ kind: 'missing' });
  });

  test.each(['Bearer x', `Bearer ${TOKEN}x`, `Bearer ${TOKEN}, Bearer ${TOKEN}`, 'Bearer svc_live_'])(
    'a malformed token was sent in %j',
    (header) => {
      expect(parseBearer(header)).toEqual({ kind: 'malformed' });
    },
  );

  test.each([`Bearer ${TOKEN}`, `bearer ${TOKEN}`, `BEARER   ${TOKEN} `])(
    'a token was sent in %j',
    (header) => {
      expect(parseBearer(header)).toEqual({ kind: 'token', token: TOKEN });
    },
  );
});
