import type { Queryable } from '@svc/turns/lane';
import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { onFileEnd } from '../../test/harness/cleanup.ts';
import { testLanes } from '../../test/harness/database.ts';
import { requestEntries } from '../../test/harness/entries.ts';
import { inCluster, waitingForLocks } from '../../test/harness/locks.ts';
import { createTestService, type TestService } from '../../test/harness/service.ts';
import { UnknownOutcomeError } from '../database/errors.ts';
import { createPool } from '../database/pool.ts';
import { requestOf } from './append-requests.fixture.ts';
import { writeRequests } from './append-requests.ts';
import type { Group, Pending } from './audit-queue.ts';
import { createAuditWriter } from './audit-writer.ts';
import type { Outcome } from './audited-request.ts';
import { writeStale } from './write-checked.ts';
import { writeGroup } from './write-group.ts';

const LOCK_TIMEOUT_MS = 10_000;
const IN_THE_FUTURE =
  "update live_meters set last_entry_at = now() + interval '10 years' where workspace_id = $1";
const RECORDED = { result: 'recorded', quota: null } as const;
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
    const resolve = (outcome: Outcome) => void outcomes.set(workspaceId, outcome);
    const reject = () => void outcomes.set(workspaceId, 'failed');
    group.set(workspaceId, [{ ...requestOf({ workspaceId, keyId }), sinceMs: 0, resolve, reject }]);
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

const write = async (group: Group, waitFor?: string, lockTimeoutMs = LOCK_TIMEOUT_MS): Promise<string[]> => {
  const { settle, left } = await writeGroup(writeRequests, trail, group, { waitFor, lockTimeoutMs });
  settle();
  return [...left.keys()];
};

async function expectWrittenOnlyNow({ group, outcomes, ids }: NewGroup): Promise<void> {
  expect(outcomes.size).toBe(0);
  expect(await entriesOf(ids)).toEqual([0, 0, 0]);
  expect(await write(group)).toEqual([]);
  expect(await entriesOf(ids)).toEqual([1, 1, 1]);
}

// Skipped in a cluster, which does not run the statement for all workspaces: append-requests.test.ts has its call.
const testOfStatement = test.skipIf(inCluster());

testOfStatement('requests of several workspaces are written with one commit', async () => {
  const { group, outcomes, ids } = await newGroup(3);
  expect(await write(group)).toEqual([]);
  expect(ids.map((id) => outcomes.get(id))).toEqual(ids.map(() => RECORDED));
  expect(await entriesOf(ids)).toEqual([1, 1, 1]);
  const { rows } = await service.pool.query(
    `select count(distinct xmin::text)::int as transactions from audit_log
     where kind = 'api.request' and workspace_id = any($1)`,
    [ids],
  );
  expect(rows).toEqual([{ transactions: 1 }]);
});

testOfStatement(
  'requests of a workspace whose keys change meanwhile are returned, and the others are written',
  async () => {
    const { group, outcomes, ids } = await newGroup(3);
    const change = 'update live_meters set keys_version = keys_version + 1 where workspace_id = $1';
    const patience = { waitFor: ids[1], lockTimeoutMs: LOCK_TIMEOUT_MS };
    const { left, settle } = await during(change, ids[1], async (holder) => {
      const writing = writeGroup(writeRequests, trail, group, patience);
      await expect.poll(() => waitingForLocks(service.pool)).toBe(1);
      await holder.query('commit');
      return writing;
    });
    settle();
    expect([...left.keys()]).toEqual([ids[1]]);
    expect(outcomes.has(ids[1])).toBe(false);
    expect(await entriesOf(ids)).toEqual([1, 0, 1]);
    (await writeGroup(writeStale, trail, left, patience)).settle();
    expect(outcomes.get(ids[1])).toEqual({ ...RECORDED, isStale: true });
  },
);

testOfStatement(
  'requests of a workspace whose log is held are returned at once, and the others are written',
  async () => {
    const { group, outcomes, ids } = await newGroup(3);
    expect(await during(HOLD_LOG, ids[1], () => write(group, ids[0]))).toEqual([ids[1]]);
    expect([...outcomes.keys()].toSorted()).toEqual([ids[0], ids[2]].toSorted());
    expect(await entriesOf(ids)).toEqual([1, 0, 1]);
  },
);

testOfStatement('a group that waits for a log holds no other one meanwhile', async () => {
  const { group, ids } = await newGroup(3);
  await during(HOLD_LOG, ids[1], async (holder) => {
    const writing = write(group, ids[1]);
    await expect.poll(() => waitingForLocks(service.pool)).toBe(1);
    for (const id of ids) {
      if (id !== ids[1]) await during(`${HOLD_LOG} nowait`, id, () => Promise.resolve());
    }
    await holder.query('commit');
    expect(await writing).toEqual([]);
  });
});

testOfStatement('if the log that a group waits for stays held, nothing of the group is written', async () => {
  const created = await newGroup(3);
  const { group, ids } = created;
  const failure = await during(HOLD_LOG, ids[1], () =>
    write(group, ids[1], 1).catch((error: unknown) => error),
  );
  expect(failure).toMatchObject({ code: '55P03' });
  await expectWrittenOnlyNow(created);
});

testOfStatement(
  'if the connection breaks meanwhile, the group fails, and the next one is written',
  async () => {
    const created = await newGroup(3);
    const { group, ids } = created;
    const failure = await during(HOLD_LOG, ids[1], async () => {
      const writing = write(group, ids[1]).catch((error: unknown) => error);
      await expect.poll(() => waitingForLocks(service.pool)).toBe(1);
      await service.pool.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'trail'",
      );
      return writing;
    });
    expect(failure).toBeInstanceOf(Error);
    await expectWrittenOnlyNow(created);
  },
);

testOfStatement(
  'two writers with the same workspaces in another order never deadlock, and write each request once',
  async () => {
    const { group, ids } = await newGroup(8);
    const reversed: Group = new Map([...group].toReversed());
    let left = 0;
    for (let i = 0; i < 50; i++) {
      const results = await Promise.all(
        (
          [
            [trail, group],
            [service.pool, reversed],
          ] as const
        ).map(([connections, each]) =>
          writeGroup(writeRequests, connections, each, {
            waitFor: [...each.keys()][0],
            lockTimeoutMs: LOCK_TIMEOUT_MS,
          }),
        ),
      );
      left += results.reduce((sum, result) => sum + result.left.size, 0);
    }
    const written = (await entriesOf(ids)).reduce((sum, entries) => sum + entries, 0);
    expect(written).toBe(2 * 50 * 8 - left);
  },
);

test('entries that the database refuses fail alone: the others of their group are written', async () => {
  const { group, ids } = await newGroup(5);
  const lanes = testLanes(service.database);
  const writer = createAuditWriter(lanes);
  await service.pool.query(IN_THE_FUTURE, [ids[1]]);
  const append = () =>
    Promise.all(
      [...group.values()].flat().map((request) =>
        writer.append(request).then(
          ({ result }) => result,
          (error: Error) => error.message,
        ),
      ),
    );
  for (const written of [1, 2]) {
    const results = await append();
    expect(results[1]).toMatch(/no partition/);
    expect(results.toSpliced(1, 1)).toEqual(Array.from({ length: 4 }, () => 'recorded'));
    expect(await entriesOf(ids)).toEqual(ids.map((id) => (id === ids[1] ? 0 : written)));
  }
  await service.pool.query('update live_meters set last_entry_at = now() where workspace_id = $1', [ids[1]]);
  expect(await append()).toEqual(Array.from({ length: 5 }, () => 'recorded'));
  await writer.drain();
});

test('entries whose outcome is not known fail and are not repeated, and later ones are written', async () => {
  const { group, ids } = await newGroup(3);
  const lanes = testLanes(service.database);
  let known = false;
  // A node that commits, and whose answer is lost.
  const query: Queryable['query'] = async (...statement) => {
    const result = await lanes.trail.query(...statement);
    if (!known) throw new UnknownOutcomeError(new Error('lost'));
    return result as never;
  };
  const onNode = { ...lanes, workspaceNodes: { ...lanes.workspaceNodes, of: () => 'node:1' } };
  const { append: write } = createAuditWriter({ ...onNode, shards: { of: () => ({ query }) } });
  const append = () => Promise.allSettled([...group.values()].flat().map(write));
  expect((await append()).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await entriesOf(ids)).toEqual([1, 1, 1]);
  known = true;
  expect((await append()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  expect(await entriesOf(ids)).toEqual([2, 2, 2]);
});
