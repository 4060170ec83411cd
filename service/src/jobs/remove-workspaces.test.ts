import { waitFor } from '@svc/embedded-postgres/testing';
import { expect, test } from 'vitest';
import { createTestDashboard } from '../../test/harness/dashboard.ts';
import { createTestService } from '../../test/harness/service.ts';
import { findingsOf } from '../../test/harness/verify.ts';
import { DAY_MS } from '../config/time.ts';
import { TABLE_PLACEMENTS, workspaceColumn } from '../database/citus/placements.ts';
import { removeDeletedWorkspaces } from './remove-workspaces.ts';

const service = await createTestService();
const { pool } = service;
const dashboard = createTestDashboard(service);
const TABLES = Object.keys(TABLE_PLACEMENTS).filter((table) => TABLE_PLACEMENTS[table] === 'workspace');
/** Without what is counted in the background meanwhile. */
const STEADY = [...TABLES, 'key_workspaces'].filter((table) => !['key_usage', 'traffic'].includes(table));

/** The tables that have rows of the workspace, with their number. */
async function rowsOf(
  workspaceId: string,
  tables: readonly string[] = [...TABLES, 'key_workspaces'],
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int as count from ${table} where ${workspaceColumn(table)} = $1`,
      [workspaceId],
    );
    if (rows[0] !== undefined && rows[0].count > 0) counts[table] = rows[0].count;
  }
  return counts;
}

const remove = (nodeNowMs = Date.now()) => removeDeletedWorkspaces(pool, nodeNowMs);

/** Adds more rows of a kind than one statement removes. */
const FILL = [
  `insert into key_usage (workspace_id, key_id, day, requests, errors)
   select $1, 'key_' || n, date '2026-01-01', 1, 0 from generate_series(1, 2500) n`,
  `insert into changes (workspace_id, last_at, type, changes, bytes, items)
   select $1, '2026-01-01'::timestamptz + n * interval '1 s', 'company.created', 1, 0, '' from generate_series(1, 2500) n`,
  `insert into word_blocks select $1, 'mentions', false, now() + n * interval '1 s', 'men_' || n, '{men_0}', ' word'
   from generate_series(1, 1500) n`,
  `insert into webhook_endpoints (workspace_id, id, url, description, ordered, secret, position, enabled)
   select $1, 'whe_' || n, 'https://example.com', '', true, '', '', false from generate_series(1, 2) n`,
  `insert into webhook_deliveries (workspace_id, endpoint_id, event_id, type, state, attempts, duration_ms, attempted_at)
   select $1, 'whe_1', 'evt_' || n, '', 'delivered', 1, 0, now() from generate_series(1, 1500) n`,
  `insert into webhook_attempts (workspace_id, endpoint_id, hour, bucket, delivered, failed)
   select $1, 'whe_2', '2026-01-01'::timestamptz + n * interval '1 hour', 1, 1, 0 from generate_series(1, 1500) n`,
];

/** A workspace with keys, records, a log, usage, a feed and webhooks. */
async function filled() {
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const token = await service.token(workspaceId, { access: 'write' });
  const path = `/workspaces/${workspaceId}`;
  await owner.send('POST', `${path}/invitations`, { email: 'ada@example.com', role: 'viewer' });
  const company = await owner.send('POST', `${path}/data/companies`, { name: 'Acme' });
  const companyId = company.json<{ id: string }>().id;
  for (let audit = 0; audit < 3; audit++) {
    const body = { companyId, headlineScore: 7, completedAt: '2026-03-01T09:30:00Z' };
    expect((await owner.send('POST', `${path}/data/audits`, body)).status).toBe(201);
  }
  expect((await service.request(token, '/v1/audits')).status).toBe(200);
  for (const insert of FILL) await pool.query(insert, [workspaceId]);
  return { owner, workspaceId, token };
}

const deleteAt = async ({ owner, workspaceId, token }: Awaited<ReturnType<typeof filled>>, age: string) => {
  expect((await owner.send('DELETE', `/workspaces/${workspaceId}`, { name: 'Test' })).status).toBe(200);
  expect((await service.request(token, '/v1/audits')).status).toBe(401);
  await pool.query('update workspaces set deleted_at = now() - $2::interval where id = $1', [
    workspaceId,
    age,
  ]);
};

test('the data of a deleted workspace is removed after seven days, from every table, and nothing else', async () => {
  const [due, young, kept] = [await filled(), await filled(), await filled()];
  await deleteAt(due, '7 days 2 hours');
  await deleteAt(young, '6 days 23 hours');
  const before = {
    young: await rowsOf(young.workspaceId, STEADY),
    kept: await rowsOf(kept.workspaceId, STEADY),
  };
  expect(Object.keys(before.kept)).toEqual(
    expect.arrayContaining([
      'workspaces',
      'members',
      'companies',
      'audits',
      'audit_log',
      'api_keys',
      'changes',
      'webhook_deliveries',
      'webhook_attempts',
    ]),
  );
  expect(await remove()).toEqual([due.workspaceId]);
  expect(await rowsOf(due.workspaceId)).toEqual({});
  expect(await rowsOf(young.workspaceId, STEADY)).toEqual(before.young);
  expect(await rowsOf(kept.workspaceId, STEADY)).toEqual(before.kept);
  expect((await service.request(due.token, '/v1/audits')).status).toBe(401);
  expect((await service.request(kept.token, '/v1/audits')).status).toBe(200);
  // The person still has an account, and can sign in.
  expect((await dashboard.signIn(due.owner.userId, due.owner.email)).cookie).toContain('session_token');
  expect(await remove()).toEqual([]);
});

test('a deleted workspace is removed after seven days by the clock of the node too', async () => {
  const world = await filled();
  await deleteAt(world, '8 days');
  const before = await rowsOf(world.workspaceId, STEADY);
  // To this node, the clock of the database is two days ahead.
  expect(await remove(Date.now() - 2 * DAY_MS)).toEqual([]);
  expect(await rowsOf(world.workspaceId, STEADY)).toEqual(before);
  expect(await remove()).toEqual([world.workspaceId]);
});

test('a removal leaves no rows that another node is removing at the same time', async () => {
  const world = await filled();
  const { workspaceId } = world;
  await deleteAt(world, '8 days');
  const other = await pool.connect();
  try {
    await other.query('begin');
    const { rowCount } = await other.query(
      `delete from changes where ctid = any (array(select ctid from changes where workspace_id = $1 limit 1000))`,
      [workspaceId],
    );
    expect(rowCount).toBe(1_000);
    const removing = remove();
    await waitFor(async () => {
      const waiting = await pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(waiting.rowCount).toBe(1);
    });
    await other.query('commit');
    expect(await removing).toEqual([workspaceId]);
  } finally {
    other.release();
  }
  expect(await rowsOf(workspaceId)).toEqual({});
});

/** A verification reads the whole database. */
const VERIFIED_EACH = 10;

/** What `svcd verify` finds in a workspace. Before the removal of its clock, it still has the rows of the fixture. */
async function findingsIn(workspaceId: string) {
  if ('workspace_clocks' in (await rowsOf(workspaceId))) return [];
  return (await findingsOf(pool)).filter((finding) => finding.workspaceId === workspaceId);
}

test('a removal that is stopped between any two statements is completed by the next one, in short statements', async () => {
  const world = await filled();
  const { workspaceId } = world;
  await deleteAt(world, '8 days');
  // Also of the statements by which foreign keys delete.
  await pool.query(`create function refuse_many() returns trigger language plpgsql as $$ begin
    if (select count(*) from removed) > 1000 then raise 'too many rows of % at once', tg_table_name; end if;
    return null; end $$`);
  for (const table of TABLES)
    await pool.query(`create trigger few after delete on ${table} referencing old table as removed
      for each statement execute function refuse_many()`);
  /** Breaks after so many statements, as a process that is killed does. */
  const breakingAfter = (limit: number): typeof pool => {
    let statements = 0;
    const query = async (...given: readonly unknown[]) => {
      if (++statements > limit) throw new Error('killed');
      return (pool.query as (...args: readonly unknown[]) => Promise<unknown>).apply(
        pool,
        given as unknown[],
      );
    };
    return { query } as unknown as typeof pool;
  };
  let kills = 0;
  const attempt = async (limit: number): Promise<boolean> => {
    try {
      return (await removeDeletedWorkspaces(breakingAfter(limit), Date.now())).includes(workspaceId);
    } catch (error) {
      expect(String(error)).toMatch(/killed$/);
      kills += 1;
      if (kills % VERIFIED_EACH === 0) expect(await findingsIn(workspaceId)).toEqual([]);
      // The statement that removes the workspace itself is the last one that removes anything.
      return Object.keys(await rowsOf(workspaceId)).length === 0;
    }
  };
  for (let limit = 1; !(await attempt(limit)); limit++);
  expect(kills).toBeGreaterThan(20);
  expect(await rowsOf(workspaceId)).toEqual({});
});

test('the other workspaces are removed if one cannot be, and the failure is seen', async () => {
  const ids = [await service.workspace(), await service.workspace(), await service.workspace()];
  const [first = ''] = ids.toSorted();
  await pool.query(`update workspaces set deleted_at = now() - interval '8 days' where id = any($1)`, [ids]);
  await pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse before delete on workspace_clocks for each row when (old.workspace_id = '${first}')
      execute function refuse()`);
  await expect(remove()).rejects.toThrow(`${first}: refused`);
  const { rows } = await pool.query('select id from workspaces where id = any($1)', [ids]);
  expect(rows).toEqual([{ id: first }]);
  await pool.query('drop trigger refuse on workspace_clocks; drop function refuse');
  expect(await remove()).toEqual([first]);
});
