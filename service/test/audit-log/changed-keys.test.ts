import { beforeAll, expect, test } from 'vitest';
import { lanesOver } from '../../src/database/lanes.ts';
import { createAuthenticator } from '../../src/keys/authenticate.ts';
import { newToken } from '../../src/keys/token.ts';
import { requestEntries } from '../harness/entries.ts';
import { inCluster } from '../harness/locks.ts';
import { createTestService, TEST_ACTOR, TEST_SECRET, type TestService } from '../harness/service.ts';

/** A process remembers keys. It notices by their version in the row of the log that they have changed. */

let node: TestService;
let other: TestService;
beforeAll(async () => {
  node = await createTestService();
  other = await createTestService({ database: node.database });
});

async function rememberedKey() {
  const workspaceId = await node.workspace();
  const { keyId, token } = await node.issue(workspaceId, { access: 'write' });
  const read = () => node.request(token, '/v1/audits');
  const create = () => node.request(token, '/v1/companies', { method: 'POST', payload: { name: 'Acme' } });
  expect((await read()).status).toBe(200);
  return { workspaceId, keyId, token, read, create };
}

const LIMIT = '"burst";q=7;w=1';

// Skipped in a cluster, where a process reads a remembered key again after at most 30 seconds.
test.skipIf(inCluster())(
  'after a change of a key on another node, a request reads the key again, and the next one has its new limit',
  async () => {
    const { workspaceId, keyId, read } = await rememberedKey();
    await other.keys.change(workspaceId, keyId, { burstLimit: 7 }, TEST_ACTOR);
    const [first, second] = [await read(), await read()];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.headers['ratelimit-policy'] ?? '').not.toContain(LIMIT);
    expect(second.headers['ratelimit-policy']).toContain(LIMIT);
    expect(await requestEntries(node.pool, workspaceId)).toHaveLength(3);
  },
);

// Skipped for the same reason.
test.skipIf(inCluster())('after such a change, a write reads the key again too', async () => {
  const { workspaceId, keyId, create } = await rememberedKey();
  await other.keys.change(workspaceId, keyId, { burstLimit: 7 }, TEST_ACTOR);
  const [first, second] = [await create(), await create()];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.headers['ratelimit-policy']).toContain(LIMIT);
  expect(await requestEntries(node.pool, workspaceId)).toHaveLength(3);
});

test('a valid key is not refused among failures of its address, because another key has changed', async () => {
  const strict = await createTestService({ database: node.database, failedAuthPerMinute: 5 });
  const { workspaceId } = await rememberedKey();
  const [used, changed] = [await node.issue(workspaceId), await node.issue(workspaceId)];
  const read = async (token: string) => (await strict.request(token, '/v1/audits')).status;
  expect(await read(used.token)).toBe(200);
  const unknown = await Promise.all(Array.from({ length: 20 }, () => read(newToken('live'))));
  expect(new Set(unknown)).toEqual(new Set([401, 429]));
  await node.keys.revoke(workspaceId, changed.keyId, TEST_ACTOR);
  expect([await read(used.token), await read(used.token)]).toEqual([200, 200]);
});

test('a key that a stream confirms has the version after a change of another key', async () => {
  const { workspaceId, token } = await rememberedKey();
  const another = await node.issue(workspaceId);
  const lanes = lanesOver(node.pool);
  const authenticator = createAuthenticator(lanes, [TEST_SECRET], Date.now, (error) =>
    expect.unreachable(String(error)),
  );
  const key = (await authenticator.lookUp(token)) ?? expect.unreachable();
  expect((await authenticator.confirm(key))?.validity).toEqual(key.validity);
  await other.keys.change(workspaceId, another.keyId, { burstLimit: 7 }, TEST_ACTOR);
  const confirmed = await authenticator.confirm(key);
  expect(confirmed?.validity).not.toEqual(key.validity);
  expect(confirmed?.validity).toEqual((await authenticator.lookUp(token))?.validity);
});

test('a key that another node lets expire is refused in the next request', async () => {
  const { workspaceId, keyId, read } = await rememberedKey();
  const expiresAt = new Date(Date.now() + 1).toISOString();
  await other.keys.change(workspaceId, keyId, { expiresAt }, TEST_ACTOR);
  expect((await read()).status).toBe(401);
  expect(await requestEntries(node.pool, workspaceId)).toHaveLength(1);
});

test('a remembered key is refused once it has expired', async () => {
  const { workspaceId, keyId, read } = await rememberedKey();
  const expiresAt = new Date(Date.now() + 1_000).toISOString();
  await node.keys.change(workspaceId, keyId, { expiresAt }, TEST_ACTOR);
  await expect.poll(async () => (await read()).status).toBe(401);
  const [{ late } = { late: true }] = (
    await node.pool.query<{ late: boolean }>(
      `select max(created_at) > $2::timestamptz + interval '1 second' as late from audit_log where workspace_id = $1 and kind = 'api.request'`,
      [workspaceId, expiresAt],
    )
  ).rows;
  expect(late).toBe(false);
});

// Skipped in a cluster, which checks each request.
test.skipIf(inCluster()).each([
  ['revoked', 'update api_keys set revoked_at = now() where workspace_id = $1 and id = $2'],
  ['removed', 'delete from api_keys where workspace_id = $1 and id = $2'],
])('a remembered key that somebody has %s with SQL is refused in the next request', async (_, change) => {
  const { workspaceId, keyId, read } = await rememberedKey();
  await node.pool.query(change, [workspaceId, keyId]);
  expect((await read()).status).toBe(401);
});
