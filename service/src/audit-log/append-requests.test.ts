import { beforeAll, describe, expect, test } from 'vitest';
import { inCluster, waitingForLocks } from '../../test/harness/locks.ts';
import { createTestService, type TestService } from '../../test/harness/service.ts';
import { LIVE_QUOTA_MAX } from '../dashboard/limits.ts';
import { inTransaction } from '../database/pool.ts';
import { lockLogForKeys } from './append-event.ts';
import { type Caller, groupOf, requestOf } from './append-requests.fixture.ts';
import { writeRequests } from './append-requests.ts';
import type { AuditedRequest, NotWritten, Outcome, WriteRequests } from './audited-request.ts';
import { writeChecked } from './write-checked.ts';

/** Both ways to write requests have the same outcomes and write the same. One PostgreSQL runs both, a cluster only one. */

const LOCK_TIMEOUT_MS = 10_000;
const MINUTE_AGO = "last_entry_at = now() - interval '1 minute'";

let service: TestService;
beforeAll(async () => {
  service = await createTestService();
});

async function newCaller(liveQuota: number | null = null): Promise<Caller> {
  const workspaceId = await service.workspace();
  const { keyId } = await service.issue(workspaceId);
  await service.pool.query('update live_meters set live_quota = $2 where workspace_id = $1', [
    workspaceId,
    liveQuota,
  ]);
  return { workspaceId, keyId };
}

const run = (
  write: WriteRequests,
  requests: readonly AuditedRequest[],
  waitFor?: string,
): Promise<ReadonlyMap<string, readonly Outcome[] | NotWritten>> =>
  inTransaction(service.pool, (client) =>
    write(client, groupOf(requests), { waitFor, lockTimeoutMs: LOCK_TIMEOUT_MS }),
  );

/** Changes the keys of a workspace, as a change of a key does. */
async function changeKeys({ workspaceId }: Caller, change: string): Promise<void> {
  await inTransaction(service.pool, async (client) => {
    await lockLogForKeys(client, workspaceId);
    await client.query(`update api_keys set ${change} where workspace_id = $1`, [workspaceId]);
  });
}

/** The entries in their order, and the meter. */
async function stored(workspaceId: string) {
  const { rows: entries } = await service.pool.query<{ at: string; doc: string; path: string }>(
    `select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, doc, path from audit_log
     where workspace_id = $1 and kind = 'api.request' order by created_at`,
    [workspaceId],
  );
  const { rows } = await service.pool.query<{ last: string; used: number; month: boolean }>(
    `select to_char(last_entry_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as last, live_requests as used,
       month = date_trunc('month', now())::date as month from live_meters where workspace_id = $1`,
    [workspaceId],
  );
  return { entries, meter: rows[0] };
}

/** As the audit writer does: the requests that the statement cannot confirm are checked. */
const writeInOneStatement: WriteRequests = async (client, group, patience) => {
  const results = await writeRequests(client, group, patience);
  const stale = new Map([...group].filter(([workspaceId]) => results.get(workspaceId) === 'stale'));
  return stale.size === 0 ? results : new Map([...results, ...(await writeChecked(client, stale, patience))]);
};

const WAYS: readonly (readonly [string, WriteRequests])[] = [
  ...(inCluster() ? [] : [['in one statement', writeInOneStatement] as const]),
  ['one by one', writeChecked],
];

describe.each(WAYS)('requests written %s', (_, write) => {
  test('have entries in their order, with rising times after the last entry', async () => {
    const [a, b] = [await newCaller(), await newCaller()];
    const ahead = "last_entry_at = date_trunc('second', now()) + interval '1 hour'";
    await service.pool.query(`update live_meters set ${ahead} where workspace_id = $1`, [b.workspaceId]);
    const before = (await stored(b.workspaceId)).meter?.last ?? '';
    const requests = [a, b].flatMap((caller) =>
      ['/1', '/2', '/3'].map((path) =>
        requestOf(caller, {
          entry: { kind: 'api.request', keyId: caller.keyId, actor: null, path, status: 200 },
        }),
      ),
    );
    const results = await run(write, requests, a.workspaceId);
    for (const { workspaceId } of [a, b]) {
      expect(results.get(workspaceId)).toEqual(Array(3).fill({ result: 'recorded', quota: null }));
      const { entries, meter } = await stored(workspaceId);
      expect(entries.map(({ path }) => path)).toEqual(['/1', '/2', '/3']);
      expect(entries.map(({ doc }) => JSON.parse(doc).createdAt)).toEqual(entries.map(({ at }) => at));
      expect(meter).toEqual({ last: entries.at(-1)?.at, used: 3, month: true });
    }
    expect((await stored(b.workspaceId)).entries.every(({ at }) => at > before)).toBe(true);
  });

  test('return the highest live quota', async () => {
    const caller = await newCaller(LIVE_QUOTA_MAX);
    const results = await run(write, [requestOf(caller)], caller.workspaceId);
    const quota = { limit: LIVE_QUOTA_MAX, used: 1 };
    expect(results.get(caller.workspaceId)).toEqual([{ result: 'recorded', quota }]);
  });

  test('use exactly the live quota, in their order', async () => {
    const caller = await newCaller(2);
    const free = requestOf(caller, { counted: false });
    const counted = requestOf(caller);
    const results = await run(write, [counted, free, counted, counted, free], caller.workspaceId);
    const quota = (used: number) => ({ limit: 2, used });
    expect(results.get(caller.workspaceId)).toEqual([
      { result: 'recorded', quota: quota(1) },
      { result: 'recorded', quota: quota(1) },
      { result: 'recorded', quota: quota(2) },
      { result: 'over_quota', quota: quota(2) },
      { result: 'recorded', quota: quota(2) },
    ]);
    const { entries, meter } = await stored(caller.workspaceId);
    expect([entries.length, meter?.used]).toEqual([4, 2]);
  });

  test('count the quota from zero in a new month, and without entries only the quota', async () => {
    const caller = await newCaller(5);
    await service.pool.query(
      `update live_meters set month = '2020-01-01', live_requests = 5, ${MINUTE_AGO} where workspace_id = $1`,
      [caller.workspaceId],
    );
    const before = (await stored(caller.workspaceId)).meter?.last;
    const results = await run(write, [requestOf(caller, { entry: null })], caller.workspaceId);
    expect(results.get(caller.workspaceId)).toEqual([{ result: 'recorded', quota: { limit: 5, used: 1 } }]);
    const { entries, meter } = await stored(caller.workspaceId);
    expect({ entries, meter }).toEqual({ entries: [], meter: { last: before, used: 1, month: true } });
  });

  test('of a revoked key or an earlier token write nothing', async () => {
    const [caller, other] = [await newCaller(), await newCaller()];
    await changeKeys(caller, 'token_version = 2');
    await changeKeys(other, 'revoked_at = now()');
    const validity = { keysVersion: 1, expiresAt: null };
    const results = await run(
      write,
      [requestOf(caller), requestOf(caller, { tokenVersion: 2, validity }), requestOf(other)],
      caller.workspaceId,
    );
    expect(results.get(caller.workspaceId)).toEqual([
      { result: 'invalid_key' },
      { result: 'recorded', quota: null },
    ]);
    expect(results.get(other.workspaceId)).toEqual([{ result: 'invalid_key' }]);
    expect((await stored(caller.workspaceId)).entries.length).toBe(1);
    expect(await stored(other.workspaceId)).toMatchObject({ entries: [], meter: { used: 0 } });
  });

  test('do not reset the count of a later month', async () => {
    const caller = await newCaller(5);
    await service.pool.query(
      `update live_meters set month = date_trunc('month', now() + interval '1 month'), live_requests = 3
       where workspace_id = $1`,
      [caller.workspaceId],
    );
    const results = await run(write, [requestOf(caller)], caller.workspaceId);
    expect(results.get(caller.workspaceId)).toEqual([{ result: 'recorded', quota: { limit: 5, used: 4 } }]);
  });

  test('that are not counted are written if the quota is less than what is used', async () => {
    const caller = await newCaller(1);
    await service.pool.query(
      `update live_meters set live_requests = 5, month = date_trunc('month', now()) where workspace_id = $1`,
      [caller.workspaceId],
    );
    const free = requestOf(caller, { counted: false });
    const results = await run(write === writeChecked ? write : writeRequests, [free], caller.workspaceId);
    expect(results.get(caller.workspaceId)).toEqual([{ result: 'recorded', quota: { limit: 1, used: 5 } }]);
  });

  test('of a key that has expired write nothing', async () => {
    const caller = await newCaller();
    await changeKeys(caller, "expires_at = now() - interval '1 second'");
    const validity = { keysVersion: 1, expiresAt: new Date(Date.now() - 1000).toISOString() };
    const results = await run(write, [requestOf(caller, { validity })], caller.workspaceId);
    expect(results.get(caller.workspaceId)).toEqual([{ result: 'invalid_key' }]);
    expect(await stored(caller.workspaceId)).toMatchObject({ entries: [], meter: { used: 0 } });
  });

  test.each([
    ['key that is revoked', 'update api_keys set revoked_at = now() where workspace_id = $1'],
    ['deleted workspace', 'update workspaces set deleted_at = now() where id = $1'],
  ])('of a %s, also while they wait for its log, write nothing', async (_what, change) => {
    const [caller, other] = [await newCaller(), await newCaller()];
    const holder = await service.pool.connect();
    await holder.query('begin');
    await holder.query('update live_meters set keys_version = keys_version + 1 where workspace_id = $1', [
      caller.workspaceId,
    ]);
    await holder.query(change, [caller.workspaceId]);
    const writing = run(write, [requestOf(caller), requestOf(other)], caller.workspaceId);
    await expect.poll(() => waitingForLocks(service.pool)).toBe(1);
    await holder.query('commit');
    holder.release();
    const results = await writing;
    expect(results.get(caller.workspaceId)).toEqual([{ result: 'invalid_key' }]);
    expect(results.get(other.workspaceId)).toEqual([{ result: 'recorded', quota: null }]);
    const later = await run(write, [requestOf(caller)], caller.workspaceId);
    expect(later.get(caller.workspaceId)).toEqual([{ result: 'invalid_key' }]);
    expect((await stored(caller.workspaceId)).entries).toEqual([]);
  });

  test('wait for one log only: others that are held, and those that do not exist, are left out', async () => {
    const [caller, other] = [await newCaller(), await newCaller()];
    const holder = await service.pool.connect();
    await holder.query('begin');
    await holder.query('select from live_meters where workspace_id = $1 for update', [other.workspaceId]);
    const nobody = requestOf({ workspaceId: 'wks_nobody', keyId: 'key_1' });
    const results = await run(write, [requestOf(caller), requestOf(other), nobody], caller.workspaceId);
    await holder.query('rollback');
    holder.release();
    expect(results.get(caller.workspaceId)).toEqual([{ result: 'recorded', quota: null }]);
    expect(results.get(other.workspaceId)).toBe('held');
    // A statement that does not wait for a log cannot tell whether it is held.
    expect(results.get('wks_nobody')).toBe(write === writeChecked ? 'missing' : 'held');
    expect((await run(write, [nobody], 'wks_nobody')).get('wks_nobody')).toBe('missing');
  });

  test('that wait longer than the limit fail', async () => {
    const caller = await newCaller();
    const holder = await service.pool.connect();
    await holder.query('begin');
    await holder.query('select from live_meters where workspace_id = $1 for update', [caller.workspaceId]);
    const writing = inTransaction(service.pool, (client) =>
      write(client, groupOf([requestOf(caller)]), { waitFor: caller.workspaceId, lockTimeoutMs: 50 }),
    );
    await expect(writing).rejects.toMatchObject({ code: '55P03' });
    await holder.query('rollback');
    holder.release();
  });
});
