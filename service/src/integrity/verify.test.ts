import { beforeEach, describe, expect, test } from 'vitest';
import { checkDeclared } from '../../test/citus/declared.ts';
import { readSchema } from '../../test/citus/schema.ts';
import { createTestDatabase } from '../../test/harness/database.ts';
import { findingsOf } from '../../test/harness/verify.ts';
import { dumpOf } from '../../test/writes/dump.ts';
import { OPERATOR } from '../audit-log/actor.ts';
import { appendEvent } from '../audit-log/append-event.ts';
import { inTransaction } from '../database/pool.ts';
import { insertRecords } from '../records/insert.ts';
import type { RecordInput } from '../records/row.ts';
import { createWorkspace } from '../records/workspaces.ts';
import type { Resource } from '../resources/define.ts';
import { RECORD_RESOURCES } from '../resources/index.ts';
import { DAMAGES } from './damage.fixture.ts';
import { useKeys } from './used-keys.fixture.ts';
import { estimateRecords, verifyRecords } from './verify.ts';

const { pool } = await createTestDatabase();
/** More records than one statement of verify reads. */
const MANY = 5_003;

function inputOf({ fields, server }: Resource, id: string): RecordInput {
  const given = Object.entries(fields).filter(([name]) => !server.includes(name));
  const examples = Object.fromEntries(given.map(([name, { example }]) => [name, example]));
  return { ...examples, id, ...('companyId' in fields ? { companyId: 'c1' } : {}) } as RecordInput;
}

const insert = (workspaceId: string, resource: Resource, ids: readonly string[]) =>
  inTransaction(pool, (client) =>
    insertRecords(
      client,
      workspaceId,
      resource,
      ids.map((id) => inputOf(resource, id)),
    ),
  );

/** A workspace with two companies and two records of each other resource. */
async function filledWorkspace(): Promise<string> {
  const id = await inTransaction(pool, (client) => createWorkspace(client, 'test'));
  const [companies, ...others] = RECORD_RESOURCES.toSorted(
    (a, b) => Number(b.company === 'id') - Number(a.company === 'id'),
  );
  if (companies === undefined) throw new Error('there are no companies');
  await insert(id, companies, ['c1', 'c2']);
  for (const resource of others) await insert(id, resource, ['r1', 'r2']);
  await inTransaction(pool, (client) =>
    appendEvent(client, id, OPERATOR, { kind: 'workspace.created', target: { id, label: 'test' } }),
  );
  return id;
}

let workspaceId: string;
beforeEach(async () => {
  // Truncating so many tables takes longer than the test.
  await pool.query(
    'delete from audits; delete from mentions; delete from content; delete from api_keys; delete from key_workspaces; delete from companies; delete from workspaces; delete from audit_log',
  );
  await filledWorkspace();
  workspaceId = await filledWorkspace();
});

const byText = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

describe('verify', () => {
  test('finds nothing in correct data, and reports how many records it has read', async () => {
    await useKeys(pool, workspaceId);
    expect(await findingsOf(pool)).toEqual([]);
    let read = 0;
    await verifyRecords({
      pool,
      repair: true,
      onFinding: () => undefined,
      onProgress: (records) => {
        read += records;
      },
    });
    const all = 2 * 2 * RECORD_RESOURCES.length;
    expect(read).toBe(all);
    expect(await estimateRecords(pool)).toBe(all);
  });

  test.each(DAMAGES)('finds that $what, and changes it only if it repairs', async ({ sql, found }) => {
    await useKeys(pool, workspaceId);
    await pool.query(sql, [workspaceId]);
    const expected = (repaired: boolean) =>
      found
        .map(([problem, detail]) => ({
          workspaceId,
          problem,
          detail: expect.stringContaining(detail),
          repaired,
        }))
        .toSorted(byText);
    const before = await dumpOf(pool);
    expect((await findingsOf(pool)).toSorted(byText)).toEqual(expected(false));
    expect(await dumpOf(pool)).toEqual(before);
    expect((await findingsOf(pool, true)).toSorted(byText)).toEqual(expected(true));
    expect(await findingsOf(pool)).toEqual([]);
  });

  test('sets a clock in the future back to now, with the mark up to which usage is counted, and never before a time that it has given', async () => {
    const given = `now() + interval '1 hour'`;
    await pool.query(`update content set updated_at = ${given} where workspace_id = $1 and id = 'r1'`, [
      workspaceId,
    ]);
    await pool.query(`update workspace_clocks set last_at = now() + interval '1 year'`);
    await pool.query(`update live_meters set last_entry_at = now() + interval '1 year'`);
    await pool.query(`update usage_marks set counted_until = now() + interval '1 year'`);
    await findingsOf(pool, true);
    const { rows } = await pool.query(
      `select c.workspace_id = $1 as given,
         c.last_at = (select max(updated_at) from content k where k.workspace_id = c.workspace_id) as newest,
         c.last_at <= now() as now, m.last_entry_at <= now() as log, u.counted_until = m.last_entry_at as counted
       from workspace_clocks c join live_meters m using (workspace_id) join usage_marks u using (workspace_id) order by 1`,
      [workspaceId],
    );
    expect(rows).toEqual([
      { given: false, newest: false, now: true, log: true, counted: true },
      { given: true, newest: true, now: false, log: true, counted: true },
    ]);
    expect(await findingsOf(pool)).toEqual([]);
    // A clock is in the future after a large batch. This is correct.
    await pool.query(
      `update workspace_clocks set last_at = now() + interval '30 seconds' where workspace_id <> $1`,
      [workspaceId],
    );
    expect(await findingsOf(pool)).toEqual([]);
  });

  test('counts the live requests of this month again if they were counted for a future month', async () => {
    await pool.query(
      `insert into audit_log (workspace_id, id, created_at, kind, doc, status)
       select $1, 'log_' || n, now(), 'api.request', '{}', case when n > 3 then 429 else 200 end
       from generate_series(1, 5) n`,
      [workspaceId],
    );
    await pool.query(
      `update live_meters set last_entry_at = now(), month = '2031-01-01', live_requests = 10 where workspace_id = $1`,
      [workspaceId],
    );
    // The log cannot say how much of the quota was used.
    expect(await findingsOf(pool, true)).toMatchObject([
      {
        problem: 'quota',
        detail: expect.stringMatching(/without further units of streams and exports, and with refusals/),
      },
    ]);
    const { rows } = await pool.query(
      `select month = date_trunc('month', now())::date as "thisMonth", live_requests as requests
       from live_meters where workspace_id = $1`,
      [workspaceId],
    );
    expect(rows).toEqual([{ thisMonth: true, requests: 3 }]);
  });

  test('does not compare days with requests that a node of an earlier release has counted', async () => {
    await useKeys(pool, workspaceId);
    await pool.query(`update audit_log set latency_bucket = null where workspace_id = $1 and id = 'log_1'`, [
      workspaceId,
    ]);
    await pool.query('update key_usage set requests = 7 where workspace_id = $1', [workspaceId]);
    expect(await findingsOf(pool)).toEqual([]);
  });

  test('never changes the columns of a record, whatever it repairs', async () => {
    const columns = async () => {
      const rows = await Promise.all(
        RECORD_RESOURCES.map(({ list }) =>
          pool.query(
            `select to_jsonb(r) - 'doc' - 'id_order' as columns from ${list.relation} r order by workspace_id, id`,
          ),
        ),
      );
      return rows.map((result) => result.rows);
    };
    for (const { sql } of DAMAGES.filter((each) => !each.sql.includes('insert'))) {
      await pool.query(sql, [workspaceId]);
    }
    const before = await columns();
    await findingsOf(pool, true);
    expect(await columns()).toEqual(before);
    expect(await findingsOf(pool)).toEqual([]);
  });

  test('reads more records than one statement returns, and finds the last one', async () => {
    const audits = RECORD_RESOURCES.find(({ name }) => name === 'audits');
    if (audits === undefined) throw new Error('there are no audits');
    const ids = Array.from({ length: MANY }, (_, i) => `z${String(i).padStart(6, '0')}`);
    await insert(workspaceId, audits, ids);
    expect(await findingsOf(pool)).toEqual([]);
    await pool.query(`update audits set doc = '{}' where workspace_id = $1 and id = any ($2)`, [
      workspaceId,
      [ids[0], ids[MANY - 1]],
    ]);
    const details = (await findingsOf(pool, true)).map(({ detail }) => detail.split(':')[0]);
    expect(details).toEqual([`audit ${ids[0]}`, `audit ${ids[MANY - 1]}`]);
  });

  test('finds nothing while writers run, and repairs while they run', async () => {
    const stop = new AbortController();
    const audits = RECORD_RESOURCES.find(({ name }) => name === 'audits');
    if (audits === undefined) throw new Error('there are no audits');
    let written = 0;
    const write = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        const ids = Array.from({ length: 5 }, () => `w${written++}`);
        await insert(workspaceId, audits, ids);
      }
    };
    const writers = [write(), write()];
    const rounds: (readonly string[])[] = [];
    for (let round = 0; round < 10; round++) {
      rounds.push((await findingsOf(pool)).map(({ detail }) => detail));
      if (round % 2 === 0) continue;
      const off = `update record_counts set records = records + 5 where workspace_id = $1 and resource = 'audits'`;
      await pool.query(off, [workspaceId]);
      await findingsOf(pool, true);
    }
    stop.abort();
    await Promise.all(writers);
    expect(rounds).toEqual(rounds.map(() => []));
    expect(written).toBeGreaterThan(0);
    expect(await findingsOf(pool)).toEqual([]);
    const { rows } = await pool.query(
      `select records from record_counts where workspace_id = $1 and resource = 'audits' and company_id = ''`,
      [workspaceId],
    );
    expect(rows).toEqual([{ records: written + 2 }]);
  });
});

// Last: the repairs above have declared the statements of families, which service/test/citus does not know.
test('a cluster runs each statement of verify and its repairs', () => {
  const { checked, faults } = checkDeclared(readSchema());
  expect(checked).toBeGreaterThan(50);
  expect(faults).toEqual([]);
});
