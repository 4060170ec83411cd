import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { onFileEnd } from '../../test/harness/cleanup.ts';
import { requestEntries } from '../../test/harness/entries.ts';
import { waitingForLocks } from '../../test/harness/locks.ts';
import { createTestService, type TestService } from '../../test/harness/service.ts';
import { createPool } from '../database/pool.ts';
import type { Outcome } from './append-requests.ts';
import type { Pending } from './audit-queue.ts';
import { GroupFailure, writeGroup } from './audit-writer.ts';

const LOCK_TIMEOUT_MS = 10_000;
const HOLD_LOG = 'select from live_meters where workspace_id = $1 for update';

let service: TestService;
/** A single connection, so that each test uses the connection of the tests before it. */
let trail: pg.Pool;
beforeAll(async () => {
  service = await createTestService();
  trail = createPool({
    url: service.database.url,
    max: 1,
    name: 'trail',
    onError: () => undefined,
    pipeline: true,
  });
  onFileEnd(() => trail.end());
});

/** A group with a request of each of `count` new workspaces. */
async function newGroup(count: number) {
  const outcomes = new Map<string, Outcome | 'failed'>();
  const group = new Map<string, readonly Pending[]>();
  for (let i = 0; i < count; i++) {
    const workspaceId = await service.workspace();
    const { keyId } = await service.issue(workspaceId);
    const request = {
      ...{ workspaceId, keyId, tokenVersion: 1, counted: true, failed: false, durationMs: 1 },
      entry: { kind: 'api.request', keyId, actor: null } as const,
    };
    const resolve = (outcome: Outcome) => void outcomes.set(workspaceId, outcome);
    const reject = () => void outcomes.set(workspaceId, 'failed');
    group.set(workspaceId, [{ ...request, sinceMs: 0, resolve, reject }]);
  }
  return { group, outcomes, ids: [...group.keys()] as [string, string, ...string[]] };
}

type NewGroup = Awaited<ReturnType<typeof newGroup>>;

const entriesOf = (ids: readonly string[]): Promise<readonly number[]> =>
  Promise.all(ids.map(async (id) => (await requestEntries(service.pool, id)).length));

/**
 * Runs `work` in the middle of a transaction that has run `statement` for the workspace, and rolls back what is still
 * open.
 */
async function during<T>(
  statement: string,
  workspaceId: string,
  work: (holder: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const holder = await service.pool.connect();
  try {
    await holder.query('begin');
    await holder.query(statement, [workspaceId]);
    return await work(holder);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

async function expectWrittenOnlyNow({ group, outcomes, ids }: NewGroup): Promise<void> {
  expect(outcomes.size).toBe(0);
  expect(await entriesOf(ids)).toEqual([0, 0, 0]);
  await writeGroup(trail, group, LOCK_TIMEOUT_MS);
  expect(await entriesOf(ids)).toEqual([1, 1, 1]);
}

test('requests of several workspaces are written with one commit', async () => {
  const { group, outcomes, ids } = await newGroup(3);
  expect(await writeGroup(trail, group, LOCK_TIMEOUT_MS)).toEqual(new Map());
  expect(ids.map((id) => outcomes.get(id))).toEqual(ids.map(() => ({ result: 'recorded', quota: null })));
  expect(await entriesOf(ids)).toEqual([1, 1, 1]);
  const { rows } = await service.pool.query(
    `select count(distinct xmin::text)::int as transactions from audit_log
     where kind = 'api.request' and workspace_id = any($1)`,
    [ids],
  );
  expect(rows).toEqual([{ transactions: 1 }]);
});

test('requests of a workspace whose keys change meanwhile are returned, and the others are written', async () => {
  const { group, outcomes, ids } = await newGroup(3);
  const change = 'update live_meters set keys_version = keys_version + 1 where workspace_id = $1';
  const again = await during(change, ids[1], async (holder) => {
    const writing = writeGroup(trail, group, LOCK_TIMEOUT_MS);
    await expect.poll(() => waitingForLocks(service.pool)).toBe(1);
    await holder.query('commit');
    return writing;
  });
  expect([...again.keys()]).toEqual([ids[1]]);
  expect(outcomes.has(ids[1])).toBe(false);
  expect(await entriesOf(ids)).toEqual([1, 0, 1]);
  await writeGroup(trail, again, LOCK_TIMEOUT_MS);
  expect(outcomes.get(ids[1])).toEqual({ result: 'recorded', quota: null });
});

test('if the log of one workspace is held, the failure names it, and nothing of the group is written', async () => {
  const created = await newGroup(3);
  const { group, ids } = created;
  const failure = await during(HOLD_LOG, ids[1], () =>
    writeGroup(trail, group, 1).catch((error: unknown) => error),
  );
  expect(failure).toBeInstanceOf(GroupFailure);
  expect(failure).toMatchObject({ workspaceId: ids[1], cause: { code: '55P03' } });
  await expectWrittenOnlyNow(created);
});

test('if the connection breaks meanwhile, the group fails, and the next one is written', async () => {
  const created = await newGroup(3);
  const { group, ids } = created;
  const failure = await during(HOLD_LOG, ids[1], async () => {
    const writing = writeGroup(trail, group, LOCK_TIMEOUT_MS).catch((error: unknown) => error);
    await expect.poll(() => waitingForLocks(service.pool)).toBe(1);
    await service.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'trail'",
    );
    return writing;
  });
  expect(failure).not.toBeInstanceOf(GroupFailure);
  await expectWrittenOnlyNow(created);
});
