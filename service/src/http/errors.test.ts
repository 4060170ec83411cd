import { readFileSync } from 'node:fs';
import { type AnyErrorCode, ERRORS } from '@svc/sdk/contract';
import { expect, test } from 'vitest';
import { ApiError, errorEnvelope } from './errors.ts';

const DOCUMENT = new URL('../../../docs/errors.md', import.meta.url);

test('docs/errors.md has a row for every code, with its status, its meaning and what to do, and no other', () => {
  const rows = readFileSync(DOCUMENT, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  expect(rows.map(([code, status, meaning]) => [code, status, meaning])).toEqual(
    Object.entries(ERRORS).map(([code, { status, meaning }]) => [`\`${code}\``, String(status), meaning]),
  );
  for (const [, , , advice = ''] of rows) expect(advice).toMatch(/^[A-Z].{10,}\.$/);
});

test('every code is a name in snake case, with the status of a failure', () => {
  for (const [code, { status }] of Object.entries(ERRORS)) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
  }
});

test('a failure has the status of its code and the envelope of the specification', () => {
  for (const code of Object.keys(ERRORS) as AnyErrorCode[]) {
    const failure = new ApiError(code, 'It is "so".', { allow: 'GET' });
    expect(failure.status).toBe(ERRORS[code].status);
    expect(failure.headers).toEqual({ allow: 'GET' });
    expect(JSON.parse(errorEnvelope(code, failure.message))).toEqual({
      error: { code, message: 'It is "so".' },
    });
  }
});
