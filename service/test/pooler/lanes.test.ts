import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createLanes } from '../../src/database/lanes.ts';
import { createPool, inTransaction } from '../../src/database/pool.ts';
import { onFileEnd } from '../harness/cleanup.ts';
import { createTestDatabase } from '../harness/database.ts';
import { PGBOUNCER, startPgBouncer } from './pgbouncer.ts';
import { missingSql, setUpRole } from './role.ts';

const { url, pool: direct } = await createTestDatabase();

const SHOWN = `select current_setting('TimeZone') as "TimeZone", current_setting('DateStyle') as "DateStyle",
  current_setting('transaction_isolation') as isolation, current_setting('enable_seqscan') as seqscan,
  current_setting('jit') as jit, current_setting('synchronous_commit') as synchronous_commit,
  current_setting('statement_timeout') as statement_timeout, current_setting('lock_timeout') as lock_timeout,
  current_setting('idle_in_transaction_session_timeout') as idle, current_setting('transaction_read_only') as read_only`;

// Set PGBOUNCER to the path of a PgBouncer from 1.21 on if Debian's is older.
describe.skipIf(PGBOUNCER === undefined)('through a supported PgBouncer in transaction mode', () => {
  test('a role without the settings is refused with the SQL that sets them, and accepted after it ran', async () => {
    const pooler = await startPgBouncer(PGBOUNCER ?? '', url, { max_prepared_statements: 100 });
    const sql = await setUpRole(direct, pooler.url);
    expect(sql.split('\n')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^alter role \w+ in database test_\w+ set statement_timeout = '30000';$/),
        expect.stringMatching(/^alter role \w+ in database test_\w+ set enable_seqscan = 'off';$/),
      ]),
    );
    await pooler.kill();
    await pooler.start();
    expect(await missingSql(pooler.url)).toBe('');
    await direct.query(
      `alter role ${new URL(pooler.url).username} in database ${new URL(pooler.url).pathname.slice(1)} set synchronous_commit = off`,
    );
    await pooler.kill();
    await pooler.start();
    expect(await missingSql(pooler.url)).toMatch(
      /^alter role \w+ in database \w+ set synchronous_commit = 'on';$/,
    );
    await setUpRole(direct, pooler.url);
  });

  test('the SQL of docs/pgbouncer.md sets all of them', async () => {
    const other = await createTestDatabase();
    const pooler = await startPgBouncer(PGBOUNCER ?? '', other.url, { max_prepared_statements: 500 });
    const { username, pathname } = new URL(pooler.url);
    const page = readFileSync(new URL('../../../docs/pgbouncer.md', import.meta.url), 'utf8');
    const [, sql = ''] = /```sql\n(.*?)```/s.exec(page) ?? [];
    await other.pool.query(
      sql.replaceAll('role svc in database svc', `role ${username} in database ${pathname.slice(1)}`),
    );
    expect(await missingSql(pooler.url)).toBe('');
    await pooler.kill();
  });

  test('each lane has the settings and limits of a direct connection', async () => {
    const pooler = await startPgBouncer(PGBOUNCER ?? '', url, {
      max_prepared_statements: 100,
      default_pool_size: 2,
    });
    await setUpRole(direct, pooler.url);
    await pooler.kill();
    await pooler.start();
    const [there, here] = [pooler.url, url].map((url, i) => {
      const lanes = createLanes({ url, pooled: i === 0, name: 'test', onError: () => undefined }, 12);
      onFileEnd(() => lanes.end());
      return lanes;
    });
    for (const name of ['trail', 'reads', 'writes', 'people', 'slow'] as const) {
      const shown = [there, here].map(async (lanes) => {
        const lane = lanes?.[name];
        const connections = lane === undefined ? undefined : 'of' in lane ? lane.of('wks') : lane;
        if (connections === undefined) throw new Error(`no lane ${name}`);
        const alone = (await connections.query(SHOWN)).rows;
        const prepared = (await connections.query({ name: `shown_${name}`, text: SHOWN })).rows;
        const inside = await inTransaction(connections, async (client) => (await client.query(SHOWN)).rows);
        expect([name, prepared, inside]).toEqual([name, alone, alone]);
        return alone;
      });
      expect([name, await shown[0]]).toEqual([name, await shown[1]]);
    }
  });

  test('a lane for reading refuses writes, and a failed statement leaves no transaction open', async () => {
    const pooler = await startPgBouncer(PGBOUNCER ?? '', url, {
      max_prepared_statements: 100,
      default_pool_size: 1,
    });
    await setUpRole(direct, pooler.url);
    await pooler.kill();
    await pooler.start();
    const pool = createPool({
      url: pooler.url,
      pooled: true,
      readOnly: true,
      max: 3,
      name: 'test',
      onError: () => undefined,
    });
    onFileEnd(() => pool.end());
    await expect(pool.query('create table forbidden (x int)')).rejects.toThrow('read-only transaction');
    await expect(pool.query('select 1 / 0')).rejects.toThrow('division by zero');
    expect(
      (
        await Promise.all(
          [1, 2, 3, 4].map((n) => pool.query({ name: `n${n % 2}`, text: `select ${n % 2} as n` })),
        )
      ).map(({ rows }) => rows[0]),
    ).toEqual([{ n: 1 }, { n: 0 }, { n: 1 }, { n: 0 }]);
    await expect(inTransaction(pool, (client) => client.query('delete from workspaces'))).rejects.toThrow(
      'read-only',
    );
  });

  test('without prepared statements it is refused, with its version and its settings', async () => {
    const pooler = await startPgBouncer(PGBOUNCER ?? '', url, { max_prepared_statements: 0 });
    await expect(missingSql(pooler.url)).rejects.toThrow(
      /PgBouncer 1\.\d+\.\d+ has pool_mode = transaction and max_prepared_statements = 0/,
    );
    const silent = await startPgBouncer(PGBOUNCER ?? '', url, {
      max_prepared_statements: 0,
      stats_users: '',
    });
    await expect(missingSql(silent.url)).rejects.toThrow('max_prepared_statements is 0');
  });

  test('in session mode it is refused', async () => {
    const pooler = await startPgBouncer(PGBOUNCER ?? '', url, { pool_mode: 'session' });
    await expect(missingSql(pooler.url)).rejects.toThrow('pool_mode = session');
  });
});
