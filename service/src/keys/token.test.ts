import { isToken } from '@svc/sdk/contract';
import { describe, expect, test } from 'vitest';
import { matchesHash, newSalt, newToken, saltedHash, tokenHint, tokenIndex } from './token.ts';

const INDEX_KEY = Buffer.alloc(32, 1);

describe.each(['live', 'test'] as const)('a new %s token', (mode) => {
  test('is its prefix and 32 characters that are safe in a URL, and different each time', () => {
    const tokens = Array.from({ length: 1_000 }, () => newToken(mode));
    for (const token of tokens) {
      expect(token).toMatch(new RegExp(`^svc_${mode}_[A-Za-z0-9_-]{32}$`));
      expect(isToken(token)).toBe(true);
    }
    expect(new Set(tokens).size).toBe(tokens.length);
  });

  test('is later shown only as its prefix and its last four characters', () => {
    const token = newToken(mode);
    expect(tokenHint(token)).toBe(`svc_${mode}_…${token.slice(-4)}`);
  });
});

describe('the stored values of a token', () => {
  const token = newToken('live');
  const salt = newSalt();

  test('match only that token, and only with its salt', () => {
    const hash = saltedHash(token, salt);
    expect(matchesHash(token, salt, hash)).toBe(true);
    expect(matchesHash(newToken('live'), salt, hash)).toBe(false);
    expect(matchesHash(token, newSalt(), hash)).toBe(false);
    expect(matchesHash(`${token} `, salt, hash)).toBe(false);
  });

  test('do not show that two keys have the same token', () => {
    expect(saltedHash(token, newSalt())).not.toEqual(saltedHash(token, salt));
  });

  test('contain an index that depends on the secret', () => {
    expect(tokenIndex(token, INDEX_KEY)).toEqual(tokenIndex(token, INDEX_KEY));
    expect(tokenIndex(token, Buffer.alloc(32, 2))).not.toEqual(tokenIndex(token, INDEX_KEY));
    expect(tokenIndex(newToken('live'), INDEX_KEY)).not.toEqual(tokenIndex(token, INDEX_KEY));
  });

  test('do not contain the token', () => {
    const stored = Buffer.concat([saltedHash(token, salt), tokenIndex(token, INDEX_KEY), salt]).toString(
      'latin1',
    );
    expect(stored).not.toContain(token.slice(9));
    expect(tokenHint(token)).not.toContain(token.slice(9, -4));
  });
});
