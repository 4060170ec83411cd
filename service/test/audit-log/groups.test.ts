import { beforeAll, describe, expect, test } from 'vitest';
import { appendRequests, writeRequests } from '../../src/audit-log/append-requests.ts';
import { writeChecked } from '../../src/audit-log/write-checked.ts';
import { LOCK_TIMEOUT_MS } from '../../src/config/limits.ts';
import { newRequestEntries, requestEntries } from '../harness/entries.ts';
import { inCluster, waitingForLocks } from '../harness/locks.ts';
import { createTestService, TEST_ACTOR, type TestAnswer, type TestService } from '../harness/service.ts';

let service: TestService;
let workspaceId: string;
let live: { readonly keyId: string; readonly token: string };
beforeAll(async () => {
  service = await createTestService();
  workspaceId = await service.workspace();
  live = await service.issue(workspaceId);
});

describe('many requests at once', () => {
  const REQUESTS = 120;

  test('over two nodes have one entry each, with a createdAt that strictly rises', async () => {
    const other = await createTestService({ database: service.database });
    const entries = await newRequestEntries(service.pool, workspaceId, () =>
      Promise.all(
        Array.from({ length: REQUESTS }, (_, i) =>
          (i % 2 === 0 ? service : other).request(live.token, '/v1/audits', {
            headers: { 'request-id': `r${i}` },
          }),
        ),
      ),
    );
    expect(new Set(entries.map(({ requestId }) => requestId)).size).toBe(REQUESTS);
    const times = entries.map(({ createdAt }) => createdAt);
    expect(new Set(times).size).toBe(REQUESTS);
    expect(times).toEqual(times.toSorted());
  });

  test('of several workspaces are each in their own log', async () => {
    const workspaces = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const id = await service.workspace();
        return { id, token: await service.token(id) };
      }),
    );
    const answers = await Promise.all(
      workspaces.flatMap(({ id, token }) =>
        Array.from({ length: 10 }, (_, i) =>
          service.request(token, '/v1/audits', { headers: { 'request-id': `${id}-${i}` } }),
        ),
      ),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    for (const { id } of workspaces) {
      const ids = (await requestEntries(service.pool, id)).map(({ requestId }) => requestId);
      expect(ids.toSorted()).toEqual(Array.from({ length: 10 }, (_, i) => `${id}-${i}`));
    }
  });

  test('with some revoked keys: no entry is later than the clock of the log', async () => {
    const revoked = await service.issue(workspaceId);
    await service.keys.revoke(workspaceId, revoked.keyId, TEST_ACTOR);
    const request = (keyId: string) => ({
      workspaceId,
      keyId,
      tokenVersion: 1,
      entry: { kind: 'api.request', keyId, actor: null } as const,
      validity: { keysVersion: 0, expiresAt: null },
      counted: true,
      failed: false,
      durationMs: 1,
    });
    const outcomes = await appendRequests(
      service.pool,
      workspaceId,
      [
        ...Array.from({ length: 9 }, () => request(revoked.keyId)),
        request(live.keyId),
        request(revoked.keyId),
        request(live.keyId),
      ],
      LOCK_TIMEOUT_MS,
      inCluster() ? writeChecked : writeRequests,
    );
    expect(outcomes.map(({ result }) => result)).toEqual([
      ...Array.from({ length: 9 }, () => 'invalid_key'),
      'recorded',
      'invalid_key',
      'recorded',
    ]);
    const { rows } = await service.pool.query(
      `select (select max(created_at) from audit_log where workspace_id = $1 and created_at < '2099-01-01') <= last_entry_at as ordered
       from live_meters where workspace_id = $1`,
      [workspaceId],
    );
    expect(rows).toEqual([{ ordered: true }]);
  });
});

test('a key can be revoked while its first request is being recorded: both succeed', async () => {
  const { keyId, token } = await service.issue(workspaceId);
  const holder = await service.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select 1 from live_meters where workspace_id = $1 for update', [workspaceId]);
    const answer = service.request(token, '/v1/audits');
    await expect.poll(() => waitingForLocks(service.pool)).toBe(1);
    const revoked = service.keys.revoke(workspaceId, keyId, TEST_ACTOR);
    await expect.poll(() => waitingForLocks(service.pool)).toBe(2);
    await holder.query('commit');
    expect((await answer).status).toBe(200);
    expect(await revoked).toMatchObject({ id: keyId });
  } finally {
    holder.release();
  }
});

test('a key that is revoked while its request waits to be recorded is refused, and has no later entry', async () => {
  const [revoked, other] = [await service.issue(workspaceId), await service.issue(workspaceId)];
  const holder = await service.pool.connect();
  let answers: readonly Promise<TestAnswer>[] = [];
  const entries = await newRequestEntries(service.pool, workspaceId, async () => {
    try {
      await holder.query('begin');
      await holder.query('select 1 from live_meters where workspace_id = $1 for update', [workspaceId]);
      const revocation = service.keys.revoke(workspaceId, revoked.keyId, TEST_ACTOR);
      await expect.poll(() => waitingForLocks(service.pool)).toBe(1);
      answers = [revoked, other].map(({ token }) => service.request(token, '/v1/audits'));
      await expect.poll(() => waitingForLocks(service.pool)).toBe(2);
      await holder.query('commit');
      await revocation;
      await Promise.all(answers);
    } finally {
      holder.release();
    }
  });
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 200]);
  expect(entries.map(({ keyId }) => keyId)).toEqual([other.keyId]);
});
