import { expect, test } from 'vitest';
import { createTestService, TEST_ACTOR, TEST_SECRET } from '../../test/harness/service.ts';

const OLD_SECRET = 'the secret of yesterday, 32 characters';
const service = await createTestService();
const { pool, database } = service;

/** The indexes of a workspace's keys, and those by which the workspace is found. They are the same in a sound database. */
async function indexesOf(workspaceId: string) {
  const read = async (table: string): Promise<readonly string[]> => {
    const { rows } = await pool.query<{ index: string }>(
      `select encode(token_index, 'hex') as index from ${table} where workspace_id = $1 order by 1`,
      [workspaceId],
    );
    return rows.map(({ index }) => index);
  };
  return { keys: await read('api_keys'), found: await read('key_workspaces') };
}

async function expectSound(workspaceId: string, count: number): Promise<void> {
  const { keys, found } = await indexesOf(workspaceId);
  expect(found).toEqual(keys);
  expect(keys).toHaveLength(count);
}

test('the workspace of a key is found after the key is created, rotated and revoked', async () => {
  const [workspaceId, other] = [await service.workspace(), await service.workspace()];
  await service.issue(other);
  const { keyId } = await service.issue(workspaceId);
  await service.issue(workspaceId, { mode: 'test' });
  await expectSound(workspaceId, 2);
  const rotated = await service.keys.rotate(workspaceId, keyId, TEST_ACTOR);
  if (typeof rotated === 'string') throw new Error(rotated);
  await expectSound(workspaceId, 2);
  expect((await service.request(rotated.token, '/v1/audits')).status).toBe(200);
  await service.keys.revoke(workspaceId, keyId, TEST_ACTOR);
  await expectSound(workspaceId, 2);
  await expectSound(other, 1);
});

test('a key that is not committed has no workspace', async () => {
  const workspaceId = await service.workspace();
  const failing = service.keys.createOnce(
    workspaceId,
    { name: 'test', mode: 'live', access: 'read', companyId: null },
    TEST_ACTOR,
    { find: () => Promise.resolve(undefined), keep: () => Promise.reject(new Error('not kept')) },
  );
  await expect(failing).rejects.toThrow('not kept');
  await expectSound(workspaceId, 0);
});

test('after a rotation of the secrets, nodes with the old and the new secret first find a key that moves between them', async () => {
  const old = await createTestService({ database, secrets: [OLD_SECRET] });
  const both = await createTestService({ database, secrets: [TEST_SECRET, OLD_SECRET] });
  const workspaceId = await service.workspace();
  const { token } = await old.issue(workspaceId);
  const before = await indexesOf(workspaceId);
  for (const node of [both, both]) expect((await node.request(token, '/v1/audits')).status).toBe(200);
  // The request does not wait for the move.
  await expect.poll(async () => (await indexesOf(workspaceId)).keys).not.toEqual(before.keys);
  await expectSound(workspaceId, 1);
  // A node that has not the new secret does not remember the key, and cannot find it any more.
  const late = await createTestService({ database, secrets: [OLD_SECRET] });
  expect((await late.request(token, '/v1/audits')).status).toBe(401);
  expect((await service.request(token, '/v1/audits')).status).toBe(200);
});

test('the keys that a node of an earlier version creates and rotates are found', async ({ skip }) => {
  const { rows } = await pool.query(`select 1 from pg_trigger where tgname = 'of_earlier_node'`);
  if (rows.length === 0) skip('a cluster has no nodes of earlier versions');
  const workspaceId = await service.workspace();
  await pool.query(
    `insert into api_keys (workspace_id, id, name, mode, access, hint, token_index, salt, salted_hash, created_at)
     values ($1, 'key_1', 'test', 'live', 'read', '', '\\x01', '', '', now())`,
    [workspaceId],
  );
  await expectSound(workspaceId, 1);
  await pool.query(`update api_keys set token_index = '\\x02' where workspace_id = $1`, [workspaceId]);
  await expectSound(workspaceId, 1);
});

// In a cluster, they would wait for each other in a circle if one of them wrote key_workspaces before it locked the log.
test('keys of a workspace that are created and rotated at the same time are all found', async () => {
  const workspaceId = await service.workspace();
  const first = await Promise.all(Array.from({ length: 4 }, () => service.issue(workspaceId)));
  for (let round = 0; round < 3; round++)
    await Promise.all(
      first.flatMap(({ keyId }) => [
        service.keys.rotate(workspaceId, keyId, TEST_ACTOR),
        service.issue(workspaceId),
      ]),
    );
  await expectSound(workspaceId, 16);
});
