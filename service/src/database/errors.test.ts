import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { startThrowawayServer } from '@svc/embedded-postgres/testing';
import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { onFileEnd } from '../../test/harness/cleanup.ts';
import { createTestDatabase } from '../../test/harness/database.ts';
import { isRefused, isUnavailable } from './errors.ts';
import { createPool } from './pool.ts';

const { url } = await createTestDatabase();
const server = inject('databaseServer');

/** Debian's PostgreSQL 15 has its translations here. */
const RUSSIAN = '/usr/share/locale/ru/LC_MESSAGES/postgres-15.mo';
const isDebian15 = server?.binaries.postgres.includes('/15/') === true && existsSync(RUSSIAN);

/** The error of a statement. */
async function failureOf(databaseUrl: string, sql: string): Promise<pg.DatabaseError> {
  const pool = createPool({ url: databaseUrl, max: 1, name: 'test of errors', onError: () => undefined });
  const error: unknown = await pool.query(sql).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  await pool.end();
  if (!(error instanceof pg.DatabaseError))
    throw new Error(`no error of the database: ${sql}`, { cause: error });
  return error;
}

const WRONG = 'select nothing';
const ENDED = 'select pg_terminate_backend(pg_backend_pid())';
const outcomeOf = (error: unknown) => ({ refused: isRefused(error), unavailable: isUnavailable(error) });
const REFUSED = { refused: true, unavailable: false };
const LOST = { refused: false, unavailable: true };

test('if no host is the primary, the database is unavailable, whatever the reason of each host', async () => {
  // The server has no TLS.
  const plain = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.write('N'));
  }).listen(0, '127.0.0.1');
  await once(plain, 'listening');
  onFileEnd(() => new Promise((resolve) => plain.close(() => resolve())));
  const { port } = plain.address() as AddressInfo;
  const hosts = `127.0.0.1:${port},localhost:${port}`;
  const pool = createPool({
    url: `postgres://svc@${hosts}/svc?sslmode=verify-full`,
    ...{ max: 1, name: 'test of errors', onError: () => undefined },
  });
  const error: unknown = await pool.query('select 1').catch((failure: unknown) => failure);
  await pool.end();
  expect(String(error)).toContain('The server does not support SSL connections');
  expect(isUnavailable(error)).toBe(true);
});

test.each([
  ['ECONNREFUSED', true],
  ['ECONNABORTED', true],
  ['ENETUNREACH', true],
  ['ENETDOWN', true],
  ['EHOSTDOWN', true],
  ['EADDRNOTAVAIL', true],
  ['EAI_FAIL', true],
  ['EMFILE', false],
  ['EACCES', false],
])('an error of the network with the code %s: the database is unavailable: %s', (code, unavailable) => {
  const error = Object.assign(new Error(`connect ${code}`), { code });
  expect(isUnavailable(error)).toBe(unavailable);
  expect(isUnavailable(new AggregateError([error]))).toBe(unavailable);
});

describe('an error of the database', () => {
  test('in English: a wrong statement is refused, and an ended session is lost', async () => {
    expect(outcomeOf(await failureOf(url, WRONG))).toEqual(REFUSED);
    expect(outcomeOf(await failureOf(url, ENDED))).toEqual(LOST);
  });

  // Other builds of PostgreSQL, such as the packaged one, have no translations.
  test.runIf(isDebian15)('in another language: the same', async () => {
    if (server === undefined) throw new Error('there is no server');
    const russian = await startThrowawayServer(server.binaries, server.locale, {
      env: { LANGUAGE: 'ru' },
    });
    onFileEnd(russian.stop);
    const wrong = await failureOf(russian.url, WRONG);
    const ended = await failureOf(russian.url, ENDED);
    const missing = await failureOf(russian.url.replace(/@\/\w+/, '@/missing'), WRONG);
    expect([wrong, ended].map(({ severity }) => severity)).toEqual(['ОШИБКА', 'ВАЖНО']);
    expect([wrong, ended, missing].map(outcomeOf)).toEqual([REFUSED, LOST, LOST]);
  });

  test.each([
    ['ERROR', '53100', true],
    ['ERROR', 'XX000', true],
    ['PANIC', '53100', false],
    ['PANIC', 'XX000', false],
    ['FATAL', '42501', false],
    ['PANIK', '53100', false],
    ['PANIK', 'XX000', false],
    ['FATALT', '25P03', false],
    ['FATALT', '25P04', false],
    ['FATALT', '08006', false],
    ['FEL', '23505', true],
    ['FEL', '40P01', true],
    ['FEL', '57014', true],
    ['FEL', '55P03', true],
  ])('with severity %s and code %s: refused is %s', (severity, code, refused) => {
    const error = Object.assign(new pg.DatabaseError('a text', 0, 'error'), { severity, code });
    expect(isRefused(error)).toBe(refused);
  });
});
