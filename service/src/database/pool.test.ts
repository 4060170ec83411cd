import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { inspect } from 'node:util';
import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { onFileEnd } from '../../test/harness/cleanup.ts';
import { createTestDatabase } from '../../test/harness/database.ts';
import { inCluster } from '../../test/harness/locks.ts';
import { isUnavailable } from './errors.ts';
import { createPool, inTransaction, type PoolOptions } from './pool.ts';

const ANSWER_TIMEOUT_MS = 300;
const IDLE_TIMEOUT_MS = 100;

const { pool: direct, url } = await createTestDatabase();

function poolOf(options: Partial<PoolOptions> = {}): pg.Pool {
  const pool = createPool({ url, max: 2, name: 'test of the pool', onError: () => undefined, ...options });
  onFileEnd(() => pool.end());
  return pool;
}

/** A network between the service and the database that can start to lose all packets. */
interface Network {
  readonly url: string;
  swallows: boolean;
}

async function network(): Promise<Network> {
  const to = new URL(url.replace(/@\//, '@socket/'));
  const socketDirectory = to.searchParams.get('host');
  const target = socketDirectory?.startsWith('/')
    ? { path: `${socketDirectory}/.s.PGSQL.${to.searchParams.get('port') ?? (to.port || '5432')}` }
    : { host: to.hostname, port: Number(to.port || '5432') };
  const ends = new Set<Socket>();
  const server: Server = createServer((near) => {
    const far = connect(target as never);
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(from);
      from.on('error', () => undefined);
      from.on('data', (data) => self.swallows || into.write(data));
      from.on('close', () => self.swallows || into.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onFileEnd(async () => {
    for (const end of ends) end.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as { readonly port: number };
  const through = new URL(to);
  through.searchParams.delete('host');
  through.searchParams.delete('port');
  through.hostname = '127.0.0.1';
  through.port = String(port);
  const self = { url: through.href, swallows: false };
  return self;
}

const pid = async (client: pg.Pool | pg.PoolClient): Promise<number | undefined> =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;

describe('on a network that loses all packets', () => {
  test('a statement fails as unavailable, and the pool continues with a new connection', async () => {
    const between = await network();
    const pool = poolOf({ url: between.url, answerTimeoutMs: ANSWER_TIMEOUT_MS });
    const before = await pid(pool);
    between.swallows = true;
    const failure = await pool.query('select 1').catch((error: unknown) => error);
    expect([isUnavailable(failure), pool.totalCount]).toEqual([true, 0]);
    between.swallows = false;
    expect(await pid(pool)).not.toBe(before);
  });

  test('a transaction fails within the same time, without waiting for its rollback', async () => {
    const between = await network();
    const pool = poolOf({ url: between.url, answerTimeoutMs: ANSWER_TIMEOUT_MS });
    const started = performance.now();
    const failure = await inTransaction(pool, async (client) => {
      between.swallows = true;
      await client.query('select 1');
    }).catch((error: unknown) => error);
    expect([isUnavailable(failure), pool.totalCount]).toEqual([true, 0]);
    expect(performance.now() - started).toBeLessThan(2 * ANSWER_TIMEOUT_MS);
  });
});

describe('a connection', () => {
  test('stays open while it is idle, and is closed only if a response does not come', async () => {
    const pool = poolOf({ max: 1, answerTimeoutMs: IDLE_TIMEOUT_MS });
    const before = await pid(pool);
    await direct.query('select pg_sleep($1)', [(3 * IDLE_TIMEOUT_MS) / 1000]);
    expect(await pid(pool)).toBe(before);
    await expect(pool.query('select pg_sleep(1)')).rejects.toThrow('the database has not answered for 0.1 s');
    expect(await pid(pool)).not.toBe(before);
  });

  test('is also closed if one of several statements that were sent together gets no response', async () => {
    const pool = poolOf({ pipeline: true, answerTimeoutMs: IDLE_TIMEOUT_MS });
    const client = await pool.connect();
    const sent = [client.query('begin'), client.query('select pg_sleep(1)'), client.query('commit')];
    const results = await Promise.allSettled(sent);
    client.release(true);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(results[1]).toMatchObject({ reason: { code: 'ETIMEDOUT' } });
  });

  test('that breaks while it is idle is reported without the statements that it sent', async () => {
    const { promise, resolve } = Promise.withResolvers<Error>();
    const pool = poolOf({ max: 1, onError: resolve });
    await pool.query({ name: 'remembered', text: 'select $1::text', values: ['value of a customer'] });
    await direct.query('select pg_terminate_backend($1)', [await pid(pool)]);
    const report = inspect(await promise, { depth: null, showHidden: true });
    expect(report).toContain('57P01');
    expect(report).not.toMatch(/remembered|value of a customer|secretKey/);
  });

  test('waits for a response without a limit if a command wants that', async () => {
    const pool = poolOf({ answerTimeoutMs: 0 });
    await expect(pool.query('select pg_sleep($1)', [IDLE_TIMEOUT_MS / 1000])).resolves.toBeDefined();
  });
});

describe('a transaction that does nothing', () => {
  test('is ended by the server, so that its locks are free', async () => {
    const pool = poolOf({ idleInTransactionTimeoutMs: IDLE_TIMEOUT_MS });
    const client = await pool.connect();
    await client.query('begin; lock table workspaces');
    await expect(direct.query('select 1 from workspaces')).resolves.toBeDefined();
    await expect(client.query('select 1')).rejects.toThrow();
    client.release();
    expect(pool.totalCount).toBe(0);
  });

  test('is ended after ten seconds; a transaction of a command is never ended', async () => {
    const limit = async (options: Partial<PoolOptions>): Promise<unknown> =>
      (await poolOf(options).query('show idle_in_transaction_session_timeout')).rows[0];
    expect(await limit({})).toEqual({ idle_in_transaction_session_timeout: '10s' });
    expect(await limit({ idleInTransactionTimeoutMs: 0 })).toEqual({
      idle_in_transaction_session_timeout: '0',
    });
  });
});

test('options in the URL apply, except for the settings that the program relies on', async () => {
  const options = encodeURIComponent(
    '-c work_mem=9MB -c TimeZone=Asia/Tokyo -c statement_timeout=0 -c DateStyle=German ' +
      '-c default_transaction_isolation=serializable',
  );
  const more = `options=${options}&statement_timeout=0&idle_in_transaction_session_timeout=0`;
  const pool = poolOf({ url: `${url}${url.includes('?') ? '&' : '?'}${more}` });
  const { rows } = await pool.query(
    `select current_setting('work_mem') as work_mem, current_setting('timezone') as timezone,
      current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle,
      current_setting('transaction_isolation') as isolation, '2026-03-01 09:30Z'::timestamptz as time`,
  );
  expect(rows).toEqual([
    {
      ...{ work_mem: '9MB', timezone: 'UTC', statement: '30s', idle: '10s' },
      ...{ isolation: 'read committed', time: '2026-03-01 09:30:00+00' },
    },
  ]);
});

test('a transaction that PostgreSQL rolls back at its commit fails, even if the error of its statement was caught', async () => {
  const committed = inTransaction(poolOf(), async (client) => {
    await client.query('select 1 / 0').catch(() => undefined);
    return 'done';
  });
  await expect(committed).rejects.toThrow('The transaction was rolled back');
});

test('a commit waits for the disk, whatever the URL or the database says; a stronger setting stays', async () => {
  const setting = async (pool: pg.Pool): Promise<unknown> =>
    (await pool.query('show synchronous_commit')).rows[0];
  const optioned = `${url}${url.includes('?') ? '&' : '?'}options=${encodeURIComponent('-c synchronous_commit=off')}`;
  expect(await setting(poolOf({ url: optioned }))).toEqual({ synchronous_commit: 'on' });
  const { rows } = await direct.query<{ name: string }>('select current_database() as name');
  const name = rows[0]?.name ?? '';
  try {
    await direct.query(`alter database ${name} set synchronous_commit = off`);
    expect(await setting(poolOf())).toEqual({ synchronous_commit: 'on' });
    await direct.query(`alter database ${name} set synchronous_commit = remote_apply`);
    expect(await setting(poolOf())).toEqual({ synchronous_commit: 'remote_apply' });
  } finally {
    await direct.query(`alter database ${name} reset synchronous_commit`);
  }
});

// Citus plans most statements only for their values.
test.skipIf(inCluster())('a session plans a prepared statement once', async () => {
  const pool = poolOf({ max: 1 });
  for (const value of [1, 2]) await pool.query({ name: 'planned', text: 'select $1::int', values: [value] });
  const { rows } = await pool.query(
    `select generic_plans::int as once, custom_plans::int as again from pg_prepared_statements where name = 'planned'`,
  );
  expect(rows).toEqual([{ once: 2, again: 0 }]);
});
