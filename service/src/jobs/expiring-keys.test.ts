import type { Change } from '@svc/sdk';
import { createRounds } from '@svc/turns/rounds';
import { beforeEach, describe, expect, test } from 'vitest';
import { expectContract, publishEvents } from '../../test/contract/workspace-event.ts';
import { createTestService, TEST_ACTOR, type TestService } from '../../test/harness/service.ts';
import { warnOfExpiringKeys } from './expiring-keys.ts';

const service = await createTestService();
let workspaceId: string;
beforeEach(async () => {
  workspaceId = await service.workspace();
});

type NewKey = NonNullable<Parameters<TestService['issue']>[1]>;
const issue = (key: NewKey) => service.issue(workspaceId, { access: 'write', ...key });
const soon = async (ms: number): Promise<string> => {
  const { rows } = await service.pool.query<{ at: string }>(
    `select to_char((clock_timestamp() + $1 * interval '1 ms') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`,
    [ms],
  );
  return rows[0]?.at ?? '';
};

describe('the warning before a key expires', () => {
  const DAY_MS = 24 * 60 * 60 * 1_000;
  const warnings = async () => {
    await Promise.all([warnOfExpiringKeys(service.pool), warnOfExpiringKeys(service.pool)]);
    await publishEvents(service.pool);
    const token = await service.token(workspaceId, { mode: 'test' });
    const { data } = (
      await service.request(token, '/v1/changes?type=key.expiring&sort=created-ascending')
    ).json<{ data: readonly Change[] }>();
    for (const event of data) expectContract(event);
    return data.map(({ recordId, record }) => [recordId, Object(record).expiresAt]);
  };

  test('is in the feed seven days before, once for each expiry date, with several nodes', async () => {
    const [soonAt, laterAt] = [await soon(7 * DAY_MS - 60_000), await soon(7 * DAY_MS + 600_000)];
    const { keyId } = await issue({ expiresAt: soonAt });
    const later = await issue({ expiresAt: laterAt });
    const revoked = await issue({ expiresAt: soonAt });
    await service.keys.revoke(workspaceId, revoked.keyId, TEST_ACTOR);
    expect(await warnings()).toEqual([[keyId, soonAt]]);
    expect(await warnings()).toHaveLength(1);
    const next = await soon(2 * DAY_MS);
    await service.keys.change(workspaceId, later.keyId, { expiresAt: next }, TEST_ACTOR);
    await service.keys.change(workspaceId, keyId, { expiresAt: null }, TEST_ACTOR);
    expect(await warnings()).toEqual([
      [keyId, soonAt],
      [later.keyId, next],
    ]);
  });

  test.each([
    ['key', 'select from api_keys where workspace_id = $1 for update'],
    ['workspace', 'select from workspaces where id = $1 for update'],
  ])('does not wait for a locked %s, and comes when it is free', async (_, lock) => {
    const expiresAt = await soon(DAY_MS);
    const locked = await issue({ expiresAt });
    const other = await service.workspace();
    const free = await service.issue(other, { expiresAt: await soon(2 * DAY_MS) });
    const client = await service.pool.connect();
    try {
      await client.query('begin');
      await client.query(lock, [workspaceId]);
      await warnOfExpiringKeys(service.pool);
      const { rows } = await client.query(
        "select record_id from pending_events where type = 'key.expiring' and workspace_id = any ($1)",
        [[workspaceId, other]],
      );
      expect(rows).toEqual([{ record_id: free.keyId }]);
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect(await warnings()).toEqual([[locked.keyId, expiresAt]]);
  });

  test('comes for the other keys if that of one fails, which is tried again after a pause', async () => {
    const refused = await issue({ expiresAt: await soon(DAY_MS) });
    const other = await issue({ expiresAt: await soon(2 * DAY_MS) });
    await service.pool.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
      create trigger refuse before insert on pending_events for each row when (new.record_id = '${refused.keyId}')
        execute function refuse()`);
    const failures: unknown[] = [];
    let nowMs = 0;
    const rounds = createRounds(() => nowMs);
    const warn = () => warnOfExpiringKeys(service.pool, (error, key) => failures.push([key, error]), rounds);
    await warn();
    await warn();
    const failure = [`${workspaceId} ${refused.keyId}`, expect.objectContaining({ message: 'refused' })];
    expect(failures).toEqual([failure]);
    await service.pool.query('drop trigger refuse on pending_events; drop function refuse');
    nowMs += 1_000;
    await warn();
    expect((await warnings()).map(([id]) => id)).toEqual([other.keyId, refused.keyId]);
  });

  test('is not lost if the process ends between its note and its event', async () => {
    const expiresAt = await soon(DAY_MS);
    const { keyId } = await issue({ expiresAt });
    const client = await service.pool.connect();
    await client.query('begin');
    await client.query('lock table pending_events in exclusive mode');
    const killed = warnOfExpiringKeys(service.pool).catch((error) => String(error));
    await expect
      .poll(
        async () =>
          (
            await client.query<{ pid: number }>(
              `select pid from pg_locks where relation = 'pending_events'::regclass and not granted`,
            )
          ).rows.length,
      )
      .toBe(1);
    await client.query(
      `select pg_terminate_backend(pid) from pg_locks where relation = 'pending_events'::regclass and not granted`,
    );
    await killed;
    await client.query('rollback');
    client.release();
    expect(await warnings()).toEqual([[keyId, expiresAt]]);
  });
});
