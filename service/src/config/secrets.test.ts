import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SEALED_BY } from './secrets.ts';

test('every purpose of a key whose values come with requests names its kinds of values', () => {
  const purposes = Object.entries(SEALED_BY).filter(([, kinds]) => kinds.length === 0);
  expect(purposes.map(([purpose]) => purpose)).toEqual(['fingerprint']);
});

test('keys are used in these files only; a new one needs an entry in SEALED_BY and a case in the test of a rotation', () => {
  const root = join(import.meta.dirname, '..');
  const keyed = /\b(?:create(?:Hmac|Cipheriv|Decipheriv)|hkdf\w*|sign(?:JWT)?|symmetric(?:En|De)crypt)\(/;
  const files = globSync('**/*.ts', { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts') && keyed.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(files.toSorted()).toEqual([
    'config/secrets.ts',
    'dashboard/auth/sealed-factors.ts',
    'dashboard/auth/second-step.ts',
    'dashboard/requests/cookies.ts',
    'keys/token.ts',
    'list/cursor.ts',
    'webhooks/sealed-secrets.ts',
  ]);
});
