import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { createLogTo, prettyLine } from '../../src/log/log.ts';

const TOKEN = `svc_live_${'a1B2'.repeat(8)}`;

function logged(write: (log: ReturnType<typeof createLogTo>) => void): string {
  let lines = '';
  const stream = {
    write: (line: string) => {
      lines += line;
    },
  };
  write(createLogTo(stream, 'trace'));
  return lines;
}

describe('a log line never contains', () => {
  test.each([
    ['a token in the message', { a: 1 }, `no ${TOKEN} here`],
    ['a token in a field', { path: `/v1/audits?key=${TOKEN}` }, ''],
    [
      'the value of a secret field',
      { password: TOKEN, newPassword: TOKEN, token: TOKEN, sessionToken: TOKEN },
      '',
    ],
    [
      'a header, however deep',
      { req: { headers: { Authorization: TOKEN, cookie: TOKEN, 'set-cookie': [TOKEN] } } },
      '',
    ],
    ['a token in the message of an error', { err: new Error(`bad ${TOKEN}`) }, ''],
    ['a token in the cause of an error', { err: new Error('bad', { cause: new Error(TOKEN) }) }, ''],
  ])('%s', (_, fields, message) => {
    const line = logged((log) => log.warn(fields, message));
    expect(line).not.toContain(TOKEN);
    expect(() => JSON.parse(line)).not.toThrow();
  });

  test.each([
    ['a basic password', 'Authorization: Basic dXNlcjpwYXNzd29yZA==', 'dXNlcjpwYXNzd29yZA'],
    ['the password of a database address', 'postgres://svc:hunter2hunter2@db:5432/svc', 'hunter2hunter2'],
    ['the cookie of a session', 'svc.session_token=abc.def%3D; Path=/', 'abc.def'],
  ])('%s', (_, message, text) => {
    expect(logged((log) => log.info(message))).not.toContain(text);
  });

  test('the bytes of a row that PostgreSQL quotes', () => {
    const error = new pg.DatabaseError('violates check', 0, 'error');
    error.detail = `Failing row contains (wks_1, \\x${'ab'.repeat(32)}).`;
    const line = logged((log) => log.error({ err: error }, 'failed'));
    expect(line).not.toContain('abab');
    expect(line).toContain('Failing row contains');
  });

  test('the secret fields of a child logger', () => {
    const line = logged((log) => log.child({ requestId: TOKEN }).info('x'));
    expect(line).not.toContain(TOKEN);
  });
});

test('a log line has all fields that are not secret, unchanged', () => {
  const fields = { method: 'GET', count: 3, none: null, list: ['a', { deep: true }] };
  expect(JSON.parse(logged((log) => log.info(fields, 'hello')))).toMatchObject({ ...fields, msg: 'hello' });
});

test('a line for people has time, level and message, and a stack only at level debug', () => {
  const line = logged((log) => log.warn({ err: new Error('disk is full'), pid: 5 }, 'cannot write'));
  expect(prettyLine(line, false)).toMatch(/^.*\d\d:\d\d:\d\d.* .*warning.* cannot write \(disk is full\)\n$/);
  expect(prettyLine(line, true)).toContain('at ');
});
