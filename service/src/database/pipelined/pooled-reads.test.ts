import { STATEMENT_TIMEOUT_MS } from '@svc/pipelined-postgres/limits';
import { expect, test } from 'vitest';
import { onFileEnd } from '../../../test/harness/cleanup.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { setUpRole } from '../../../test/pooler/role.ts';
import { CONNECTIONS_MIN } from '../../config/limits.ts';
import { createLanes } from '../lanes.ts';
import { preparedStatement } from '../statement.ts';

// A session that has its settings from the role, as one through a pooler in transaction mode.
const { pool, url } = await createTestDatabase();
await setUpRole(pool, url);
const failures: Error[] = [];
const lanes = createLanes(
  { url, pooled: true, name: 'test of pooled reads', onError: (error) => failures.push(error) },
  CONNECTIONS_MIN + 1,
);
onFileEnd(() => lanes.end());

const LIMITS = `select current_setting('statement_timeout') as timeout, current_setting('transaction_read_only') as read_only`;
const PIPELINED = { timeout: `${STATEMENT_TIMEOUT_MS}ms`, read_only: 'on' };
const ON_LANE = { timeout: '5s', read_only: 'on' };
const show = preparedStatement('test_pooled_show', 'request')`${LIMITS}`;
const wait = preparedStatement('test_pooled_wait', 'request')`${LIMITS} from pg_sleep($1)`;
const divide = preparedStatement('test_pooled_divide', 'request')`select 1 / $1::int as n`;

const many = (count: number, query: (n: number) => ReturnType<typeof show>) =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => (await lanes.reads.of(`${n}`).query(query(n))).rows[0]),
  );

test('the pipelined connection has its limits in each transaction, and a statement fails with its own error', async () => {
  expect(await many(20, () => show())).toEqual(Array.from({ length: 20 }, () => PIPELINED));
  const [wrong, right] = await Promise.allSettled([
    lanes.reads.of('a').query(divide(0)),
    lanes.reads.of('b').query(divide(1)),
  ]);
  expect(wrong).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
  expect(right).toMatchObject({ status: 'fulfilled', value: { rows: [{ n: 1 }] } });
  expect(failures).toEqual([]);
});

test('a connection that the server ends fails no read', async () => {
  const running = many(10, () => wait(0.1));
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test of pooled reads'
     and datname = current_database()`,
  );
  const rows = await running;
  for (const row of rows) expect([PIPELINED, ON_LANE]).toContainEqual(row);
  expect(failures.length).toBeGreaterThan(0);
});

test('a slow statement runs on the lane, and the others continue', async () => {
  const slow = lanes.reads.of('slow').query(wait((2 * STATEMENT_TIMEOUT_MS) / 1000));
  expect(await many(10, () => show())).toEqual(Array.from({ length: 10 }, () => PIPELINED));
  expect((await slow).rows).toEqual([ON_LANE]);
});
