import { waitFor } from '@svc/embedded-postgres/testing';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { inCluster } from '../../test/harness/locks.ts';
import { inTransaction } from '../database/pool.ts';
import { createWorkspace } from '../records/workspaces.ts';
import { createWordIndexer, keepIndexing } from './word-index.ts';

const { pool } = await createTestDatabase();
/** More records than one visit of a workspace indexes. */
const MANY = 17_000;
const indexer = (nowMs?: () => number) =>
  createWordIndexer(
    pool,
    (error) => {
      throw error;
    },
    nowMs,
  );
const newWorkspace = () => inTransaction(pool, (client) => createWorkspace(client, 'test'));

/** Advances the clock of a workspace by the times of so many records. */
const reserve = (workspaceId: string) =>
  pool.query('update workspace_clocks set last_at = clock_timestamp() where workspace_id = $1', [
    workspaceId,
  ]);

/** Adds mentions, the first `from` of `of` reserved times later than the first of these. */
async function write(workspaceId: string, count: number, from = 0, of = count): Promise<void> {
  if (from === 0) await reserve(workspaceId);
  await pool.query(
    `insert into mentions select $1, 'men_' || gen_random_uuid(), 'c', 's', 'https://example.com', 'A word', 'e', 'neutral',
       now(), last_at - ($4::int - $3::int - n) * interval '1 microsecond', '{}'
     from workspace_clocks, generate_series(1, $2) n where workspace_id = $1`,
    [workspaceId, count, from, of],
  );
}

/** Adds companies with long names. */
async function writeLong(workspaceId: string, count: number): Promise<void> {
  await reserve(workspaceId);
  await pool.query(
    `insert into companies (workspace_id, id, name, created_at, doc)
     select $1, 'com_' || n, (select string_agg(chr(19968 + (n * 97 + i * 31) % 20000) || chr(19968 + i), ' ')
       from generate_series(1, 160) i), last_at - ($2::int - n) * interval '1 microsecond', '{}'
     from workspace_clocks, generate_series(1, $2) n where workspace_id = $1`,
    [workspaceId, count],
  );
}

/** How many records of the workspace are in blocks. */
async function indexed(workspaceId: string): Promise<number> {
  const { rows } = await pool.query<{ records: number; ids: number }>(
    `select count(*)::int as records, count(distinct id)::int as ids from word_blocks, unnest(ids) id where workspace_id = $1`,
    [workspaceId],
  );
  // None is in two blocks.
  expect(rows[0]?.records).toBe(rows[0]?.ids);
  return rows[0]?.records ?? -1;
}

const idle = (workspaceId: string) =>
  pool.query(
    `update workspace_clocks set last_at = last_at - interval '30 seconds' where workspace_id = $1`,
    [workspaceId],
  );

// A cluster of Citus has no blocks.
describe.skipIf(inCluster())('the job that indexes words', () => {
  test('several nodes add each record to one block, and leave the records that fill none', async () => {
    const workspaces = [await newWorkspace(), await newWorkspace()];
    for (const id of workspaces) await write(id, 1_000);
    await Promise.all([indexer()(), indexer()()]);
    for (const id of workspaces) expect(await indexed(id)).toBe(31 * 32);
  });

  test('a workspace whose clock is locked delays no other, and has its turn when it is free', async () => {
    const [locked, other] = [await newWorkspace(), await newWorkspace()];
    for (const id of [locked, other]) {
      await write(id, 32);
      await idle(id);
    }
    const index = indexer();
    const writer = await pool.connect();
    await writer.query('begin');
    await writer.query('select from workspace_clocks where workspace_id = $1 for update', [locked]);
    await index();
    expect([await indexed(locked), await indexed(other)]).toEqual([0, 32]);
    await writer.query('rollback');
    writer.release();
    await expect.poll(async () => index().then(() => indexed(locked))).toBe(32);
  });

  test('records that an import writes without the clock are found afterwards', async () => {
    const id = await newWorkspace();
    let now = 0;
    const index = indexer(() => now);
    await write(id, 100, 0, 200);
    await index();
    expect(await indexed(id)).toBe(96);
    await write(id, 100, 100, 200);
    now += 60_000;
    await index();
    expect(await indexed(id)).toBe(192);
  });

  test('a busy workspace is indexed in parts, so that an import is not slower; an idle one at once', async () => {
    const busy = await newWorkspace();
    let now = 0;
    const index = indexer(() => now);
    await write(busy, MANY);
    await index();
    const first = await indexed(busy);
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(MANY - 32);
    const other = await newWorkspace();
    await write(other, 64);
    await write(busy, 1);
    now += 19_000;
    // A call that takes long is continued by the next one.
    await index();
    await index();
    expect([await indexed(busy), await indexed(other)]).toEqual([first, 64]);
    const later = async () => {
      now += 21_000;
      await index();
      return indexed(busy);
    };
    await expect.poll(later, { timeout: 30_000 }).toBe(Math.floor((MANY + 1) / 32) * 32);
  });

  test('a busy workspace that stays behind has more turns', async () => {
    const id = await newWorkspace();
    await writeLong(id, 20_000);
    let now = 0;
    const index = indexer(() => now);
    /** A call that takes long is continued by the next one. */
    const nextTurn = async (afterMs: number): Promise<void> => {
      now += afterMs;
      await reserve(id);
      const before = await indexed(id);
      await expect.poll(() => index().then(() => indexed(id)), { timeout: 20_000 }).toBeGreaterThan(before);
    };
    for (let turn = 1; turn <= 5; turn++) await nextTurn(21_000);
    await nextTurn(6_000);
    await nextTurn(6_000);
    await pool.query('delete from workspace_clocks where workspace_id = $1', [id]);
  });

  test('writers that pass the clock of a workspace to each other do not keep the job away', async () => {
    const id = await newWorkspace();
    await write(id, 64);
    const stopping = new AbortController();
    const writer = async (): Promise<void> => {
      while (!stopping.signal.aborted)
        await inTransaction(pool, async (client) => {
          await client.query('select from workspace_clocks where workspace_id = $1 for update', [id]);
          await client.query('select pg_sleep(0.01)');
        });
    };
    const writers = [writer(), writer(), writer()];
    const index = indexer();
    await expect.poll(async () => index().then(() => indexed(id)), { timeout: 20_000 }).toBe(64);
    stopping.abort();
    await Promise.all(writers);
  });

  test('workspaces with long texts do not keep others waiting', async () => {
    const heavy = [await newWorkspace(), await newWorkspace()];
    for (const id of heavy) await writeLong(id, 9_000);
    const small = await newWorkspace();
    await write(small, 64);
    const index = indexer();
    await expect.poll(async () => index().then(() => indexed(small)), { timeout: 30_000 }).toBe(64);
    // Each of the others has had one turn at most.
    expect((await Promise.all(heavy.map(indexed))).every((records) => records < 9000)).toBe(true);
    await pool.query('delete from workspace_clocks where workspace_id = any ($1)', [heavy]);
  });

  test('a workspace that fails delays no other, and is told once a call', async () => {
    const [failing, other] = [await newWorkspace(), await newWorkspace()];
    for (const id of [failing, other]) await write(id, 32);
    await pool.query(
      `create function fail() returns trigger language plpgsql as $$ begin raise 'no block'; end $$;
     create trigger fail before insert on word_blocks for each row when (new.workspace_id = '${failing}') execute function fail()`,
    );
    onTestFinished(async () => void (await pool.query('drop function fail cascade')));
    const failures: string[] = [];
    await createWordIndexer(pool, (_, id) => failures.push(id))();
    expect([failures, await indexed(other)]).toEqual([[failing], 32]);
  });

  test('the service indexes until it stops', async () => {
    const id = await newWorkspace();
    const stopping = new AbortController();
    const kept = keepIndexing(pool, pino({ level: 'silent' }), stopping.signal);
    await write(id, 32);
    await waitFor(async () => expect(await indexed(id)).toBe(32), { timeout: 15_000 });
    stopping.abort();
    await kept;
  });
});
