import { beforeEach, describe, expect, test } from 'vitest';
import { createTestDashboard, type Visitor } from '../../../test/harness/dashboard.ts';
import { createTestService, TEST_ACTOR } from '../../../test/harness/service.ts';
import { DAY_MS } from '../../config/time.ts';
import { KEY_NOTICES_MAX } from '../limits.ts';
import type { KeyNotices, KeyUsage, ListedKey } from './key-wire.ts';

const service = await createTestService();
const dashboard = createTestDashboard(service);
let owner: Awaited<ReturnType<typeof dashboard.owner>>;
beforeEach(async () => {
  owner = await dashboard.owner();
});
const send = (path: string, by: Visitor = owner) => by.send('GET', `/workspaces/${owner.workspaceId}${path}`);

test('the list of keys names who has created each key, and the API does not', async () => {
  const { workspaceId } = owner;
  const { keyId, token } = await service.issue(workspaceId);
  const old = await service.issue(workspaceId);
  await service.pool.query('update api_keys set created_by = null where workspace_id = $1 and id = $2', [
    ...[workspaceId, old.keyId],
  ]);
  const viewer = await dashboard.member(workspaceId, 'viewer');
  const page = (await send('/keys?limit=2', viewer)).json<{
    data: readonly ListedKey[];
    pagination: object;
  }>();
  expect(page.data.map(({ id, createdBy }) => [id, createdBy])).toEqual([
    [old.keyId, null],
    [keyId, TEST_ACTOR.actor],
  ]);
  expect(page.pagination).toMatchObject({ hasMore: false, total: 2 });
  expect((await service.request(token, '/v1/api-keys')).text).not.toContain('createdBy');
});

test('the list of keys has the requests of each key in the last seven days, the newest first', async () => {
  const { workspaceId } = owner;
  const { keyId, token } = await service.issue(workspaceId);
  const unused = await service.issue(workspaceId);
  await service.request(token, '/v1/audits');
  await service.pool.query(
    `insert into key_usage (workspace_id, key_id, day, requests, errors)
     select $1, $2, (now() at time zone 'UTC')::date - ago, ago, 1 from unnest(array[2, 6, 7]) ago`,
    [workspaceId, keyId],
  );
  const { data } = (await send('/keys')).json<{ data: readonly ListedKey[] }>();
  const today = new Date();
  const day = (ago: number): string => new Date(today.getTime() - ago * DAY_MS).toISOString().slice(0, 10);
  expect(data.map(({ id, requests }) => [id, requests])).toEqual([
    [unused.keyId, []],
    [keyId, [1, 2, 6].map((n) => ({ day: day(n === 1 ? 0 : n), requests: n }))],
  ]);
});

test('the usage of a key is per day, the newest first, and only of this key', async () => {
  const { workspaceId } = owner;
  const { keyId, token } = await service.issue(workspaceId);
  const other = await service.issue(workspaceId);
  await service.request(other.token, '/v1/audits');
  for (const path of ['/v1/audits', '/v1/audits?limit=0']) await service.request(token, path);
  await service.pool.query(
    `insert into key_usage (workspace_id, key_id, day, requests, errors)
     select $1, $2, (now() at time zone 'UTC')::date - ago, ago, 1 from unnest(array[1, 29, 30]) ago`,
    [workspaceId, keyId],
  );
  const usage = (await send(`/keys/${keyId}/usage`)).json<KeyUsage>().data;
  expect(usage.map(({ requests, errors }) => [requests, errors])).toEqual([
    [2, 1],
    [1, 1],
    [29, 1],
  ]);
  expect(usage[0]?.day).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect((await send(`/keys/${keyId}/usage?days=1`)).json<KeyUsage>().data).toHaveLength(1);
  for (const query of ['days=0', 'days=401', 'days=x', 'days=1&days=2', 'day=1']) {
    const answer = await send(`/keys/${keyId}/usage?${query}`);
    expect(answer.json(), query).toMatchObject({ error: { code: 'invalid_parameter' } });
  }
  const stranger = await dashboard.owner();
  const theirs = await stranger.send('GET', `/workspaces/${stranger.workspaceId}/keys/${keyId}/usage`);
  expect(theirs.json()).toEqual({ data: [] });
});

describe('the notices of keys', () => {
  /** A key that expires in so many days, and was last used so many days ago. */
  const key = async (days: number, usedAgo: number | null, more = ''): Promise<string> => {
    const { keyId } = await service.issue(owner.workspaceId);
    await service.pool.query(
      `update api_keys set expires_at = now() + $3 * interval '1 day', last_used_at = now() - $4 * interval '1 day'
       ${more} where workspace_id = $1 and id = $2`,
      [owner.workspaceId, keyId, days, usedAgo],
    );
    return keyId;
  };

  test('are of keys that expire within seven days or expired in use, the earliest first', async () => {
    await service.issue(owner.workspaceId);
    const soon = await key(6.9, null);
    await key(7.1, 0);
    const inUse = await key(-20, 26);
    await key(-20, 28);
    await key(-1, null);
    await key(-31, 31);
    await key(1, 0, ', paused_at = now()');
    await key(1, 0, ', revoked_at = now()');
    const viewer = await dashboard.member(owner.workspaceId, 'viewer');
    const { data } = (await send('/key-notices', viewer)).json<KeyNotices>();
    expect(data.map(({ id }) => id)).toEqual([inUse, soon]);
    const stranger = await dashboard.owner();
    const theirs = await stranger.send('GET', `/workspaces/${stranger.workspaceId}/key-notices`);
    expect(theirs.json()).toEqual({ data: [] });
    expect((await send('/key-notices?limit=1')).status).toBe(400);
  });

  test('are of the keys whose expiry dates are nearest: those that expire first, and those that expired last', async () => {
    const first = await key(0.5, null);
    const last = await key(-0.5, 1);
    await service.pool.query(
      `insert into api_keys (workspace_id, id, name, mode, access, hint, token_index, salt, salted_hash, created_at,
         last_used_at, expires_at)
       select workspace_id, id || i, name, mode, access, hint, token_index || i::text::bytea, salt, salted_hash, created_at,
         last_used_at, now() + 9 * (expires_at - now()) from api_keys, generate_series(1, $2) i where workspace_id = $1`,
      [owner.workspaceId, KEY_NOTICES_MAX],
    );
    const { data } = (await send('/key-notices')).json<KeyNotices>();
    expect(data).toHaveLength(2 * KEY_NOTICES_MAX);
    expect(data.slice(KEY_NOTICES_MAX - 1, KEY_NOTICES_MAX + 1).map(({ id }) => id)).toEqual([last, first]);
  });
});
