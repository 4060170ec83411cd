import { expect, test } from 'vitest';
import { onFileEnd } from '../../../test/harness/cleanup.ts';
import { waitingForLocks } from '../../../test/harness/locks.ts';
import { createTestService } from '../../../test/harness/service.ts';
import { createPool } from '../../database/pool.ts';
import { createClosedStreams } from './closed-streams.ts';

const service = await createTestService();
/** Statements on it wait for a lock for a short time only. */
const impatient = createPool({
  ...{ url: service.database.url, max: 2, name: 'test of closed streams', onError: () => undefined },
  lockTimeoutMs: 20,
});
onFileEnd(() => impatient.end());

const ENDS = Array.from({ length: 120 }, (_, i) => `req_${i}`);

/** The closed streams of a workspace whose log is locked. */
async function lockedWorld(pool = service.pool) {
  const workspaceId = await service.workspace();
  const { keyId } = await service.issue(workspaceId, { name: 'the name of the key' });
  let attempts = 0;
  const connections = {
    of: () => {
      attempts += 1;
      return pool;
    },
  };
  const warnings: unknown[] = [];
  const closed = createClosedStreams(connections, { warn: (fields: unknown) => void warnings.push(fields) });
  const client = await service.pool.connect();
  await client.query('begin');
  await client.query('select 1 from live_meters where workspace_id = $1 for update', [workspaceId]);
  for (const [changes, requestId] of ENDS.entries()) {
    const origin = { requestId, ip: '192.0.2.1', userAgent: `agent of ${requestId}` };
    closed.add(workspaceId, { keyId, origin, changes, durationMs: 5, reason: 'client' });
  }
  return {
    ...{ keyId, closed, warnings },
    attempts: () => attempts,
    unlock: async () => {
      await client.query('rollback');
      client.release();
    },
    entries: async () => {
      const { rows } = await service.pool.query<{ entry: { readonly requestId: string } }>(
        `select doc::json as entry from audit_log where workspace_id = $1 and kind = 'stream.closed'
         order by created_at`,
        [workspaceId],
      );
      return rows.map(({ entry }) => entry);
    },
  };
}

test('the entries of closed streams wait while the log is locked, and are then written in their order', async () => {
  const { keyId, closed, warnings, attempts, unlock, entries } = await lockedWorld(impatient);
  await expect.poll(attempts).toBeGreaterThan(1);
  await unlock();
  await expect.poll(async () => (await entries()).length).toBe(ENDS.length);
  const written = await entries();
  expect(written.map(({ requestId }) => requestId)).toEqual(ENDS);
  expect(written[7]).toMatchObject({
    ...{ kind: 'stream.closed', keyId, actor: null, requestId: 'req_7', ip: '192.0.2.1' },
    ...{ userAgent: 'agent of req_7', targetId: keyId, targetLabel: 'the name of the key' },
    details: { changes: 7, durationMs: 5, reason: 'client' },
  });
  // All that wait share a few transactions.
  expect(attempts()).toBeLessThan(10);
  await closed.close();
  expect(warnings).toEqual([]);
});

test('the shutdown waits until the entries of closed streams are written', async () => {
  const { closed, unlock, entries } = await lockedWorld();
  await expect.poll(() => waitingForLocks(service.pool)).toBe(1);
  const ended = closed.close();
  await unlock();
  await ended;
  expect(await entries()).toHaveLength(ENDS.length);
});

test('the shutdown does not wait for a log that stays locked', async () => {
  const { closed, warnings, unlock, entries } = await lockedWorld(impatient);
  await closed.close();
  expect(warnings).toMatchObject([{ lost: ENDS.length }]);
  await unlock();
  expect(await entries()).toEqual([]);
});
