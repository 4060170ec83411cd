import { once } from 'node:events';
import type { Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { atOnce } from '@svc/pipelined-postgres/at-once';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { describe, expect, test } from 'vitest';
import { errorCode } from '../../src/config/errors.ts';
import { isUnavailable } from '../../src/database/errors.ts';
import { inTransaction } from '../../src/database/pool.ts';
import { preparedStatement, statement } from '../../src/database/statement.ts';
import { createTestDatabase } from '../harness/database.ts';

const { pool } = await createTestDatabase();
await pool.query('create table numbers (n int primary key)');

const insert = preparedStatement(
  'test_at_once_insert',
  'request',
)`insert into numbers values ($1) returning n`;
const count = preparedStatement('test_at_once_count', 'request')`select count(*)::int as n from numbers`;
const end = statement('test_at_once_end', 'control')`select pg_terminate_backend(pg_backend_pid())`;

type Rows = Promise<pg.QueryResult<{ n: number }>>;

async function withClient(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await work(client);
  } finally {
    client.release();
  }
}

describe('statements at once', () => {
  test('are sent before the first answer, and see what those before them have written', () =>
    withClient(async (client) => {
      const socket = client.connection.stream as Socket;
      const sent: number[] = [];
      const start = (query: ReturnType<typeof count>): Rows => {
        const result: Rows = client.query(query);
        sent.push(socket.bytesWritten);
        return result;
      };
      const [first, before, second, after] = await atOnce(client, () => [
        start(insert(1)),
        start(count()),
        start(insert(2)),
        start(count()),
      ]);
      expect([first, before, second, after].map(({ rows }) => rows[0]?.n)).toEqual([1, 1, 2, 2]);
      // Each start has written to the connection.
      expect(new Set(sent).size).toBe(4);
    }));

  test('fail with the first error, and the connection can go on, also with COPY', () =>
    withClient(async (client) => {
      await client.query('begin');
      const failing = atOnce(client, () => [client.query(insert(1)), client.query(count())]);
      expect(errorCode(await failing.catch((error: unknown) => error))).toBe('23505');
      await client.query('rollback');
      const copy = client.query(copyFrom('copy numbers from stdin'));
      copy.end('3\n');
      await finished(copy);
      expect((await client.query(count())).rows).toEqual([{ n: 3 }]);
    }));

  test('end their connection if one of them fails in a transaction', async () => {
    let pid = 0;
    const failing = inTransaction(pool, async (client) => {
      pid = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0;
      await atOnce(client, () => [client.query(insert(3)), client.query(count())]);
    });
    expect(errorCode(await failing.catch((error: unknown) => error))).toBe('23505');
    await expect
      .poll(async () => (await pool.query('select from pg_stat_activity where pid = $1', [pid])).rowCount)
      .toBe(0);
  });

  test('fail together if the connection is lost', () =>
    withClient(async (client) => {
      const lost = once(client, 'error');
      const failing = atOnce(client, () => [client.query(end()), client.query(count())]);
      expect(isUnavailable(await failing.catch((error: unknown) => error))).toBe(true);
      await lost;
    }));
});
