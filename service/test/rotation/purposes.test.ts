import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SEALED_BY } from '@svc/deployment-secrets';
import { expect, test } from 'vitest';

test('every purpose of a key whose values come with requests names its kinds of values', () => {
  const purposes = Object.entries(SEALED_BY).filter(([, kinds]) => kinds.length === 0);
  expect(purposes.map(([purpose]) => purpose)).toEqual(['fingerprint']);
});

test('keys are used in these files only; a new one needs an entry in SEALED_BY and a case in the test of a rotation', () => {
  const root = join(import.meta.dirname, '../../..');
  const keyed = /\b(?:create(?:Hmac|Cipheriv|Decipheriv)|hkdf\w*|sign(?:JWT)?|symmetric(?:En|De)crypt)\(/;
  const files = globSync(['service/src/**/*.ts', 'packages/deployment-secrets/src/*.ts'], {
    cwd: root,
  }).filter((file) => !file.endsWith('.test.ts') && keyed.test(readFileSync(join(root, file), 'utf8')));
  expect(files.toSorted()).toEqual([
    'packages/deployment-secrets/src/cursors.ts',
    'packages/deployment-secrets/src/index.ts',
    'packages/deployment-secrets/src/sealed.ts',
    'service/src/dashboard/auth/sealed-factors.ts',
    'service/src/dashboard/auth/second-step.ts',
    'service/src/dashboard/requests/cookies.ts',
    'service/src/keys/token.ts',
  ]);
});
