import { beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestService, TEST_ACTOR } from '../../test/harness/service.ts';
import { findingsOf } from '../../test/harness/verify.ts';

const service = await createTestService();
const { pool } = service;
/** More keys than one statement of verify reads. */
const MANY = 1_003;

let workspaceId: string;
let other: string;
let issued: Awaited<ReturnType<typeof service.issue>>;
beforeAll(async () => {
  [workspaceId, other] = [await service.workspace(), await service.workspace()];
  await service.issue(other);
  await service.issue(workspaceId, { mode: 'test' });
});
beforeEach(async () => {
  // A new key: no process remembers its workspace.
  issued = await service.issue(workspaceId);
});

const statusOf = async (): Promise<number> => (await service.request(issued.token, '/v1/audits')).status;
async function indexOf(keyId: string): Promise<Buffer | undefined> {
  const { rows } = await pool.query<{ index: Buffer }>(
    'select token_index as index from api_keys where workspace_id = $1 and id = $2',
    [workspaceId, keyId],
  );
  return rows[0]?.index;
}

/** What verify finds, twice: with a repair the second time. Then it finds nothing. */
async function repaired(): Promise<readonly (readonly [string, string])[]> {
  const found = await findingsOf(pool);
  expect(await findingsOf(pool, true)).toEqual(found.map((finding) => ({ ...finding, repaired: true })));
  expect(await findingsOf(pool)).toEqual([]);
  return found.map(({ workspaceId: of, problem, detail }) => [of, `${problem}: ${detail}`] as const);
}

test('verify finds a key whose token leads to no workspace, and with the repair the key works again', async () => {
  expect(await findingsOf(pool)).toEqual([]);
  await pool.query('delete from key_workspaces where token_index = $1', [await indexOf(issued.keyId)]);
  expect(await statusOf()).toBe(401);
  expect(await repaired()).toEqual([
    [workspaceId, `key: key ${issued.keyId}: its token leads to no workspace`],
  ]);
  expect(await statusOf()).toBe(200);
});

test('verify finds a key whose token leads to another workspace, once, and with the repair the key works again', async () => {
  const index = await indexOf(issued.keyId);
  await pool.query('update key_workspaces set workspace_id = $2 where token_index = $1', [index, other]);
  expect(await statusOf()).toBe(401);
  const found = await findingsOf(pool);
  expect(found.map(({ workspaceId: of, detail }) => [of, detail])).toEqual([
    [workspaceId, `key ${issued.keyId}: its token leads to another workspace`],
    [other, 'the index of a token leads to this workspace, which has no key with it'],
  ]);
  await findingsOf(pool, true);
  expect(await findingsOf(pool)).toEqual([]);
  expect(await statusOf()).toBe(200);
});

test('verify finds an index without a key, of this workspace and of one that does not exist, and removes it', async () => {
  await pool.query(`insert into key_workspaces values ('\\x00', $1), ('\\xff', 'wsp_gone')`, [workspaceId]);
  const detail = 'key: the index of a token leads to this workspace, which has no key with it';
  expect(await repaired()).toEqual([
    [workspaceId, detail],
    ['wsp_gone', detail],
  ]);
  expect(await statusOf()).toBe(200);
});

test('verify reads more keys than one statement returns, and finds the last one', async () => {
  await pool.query(
    `insert into api_keys (workspace_id, id, name, mode, access, hint, token_index, salt, salted_hash, created_at)
     select $1, 'z' || to_char(n, 'FM0000'), 'k', 'live', 'read', 'k', ($1 || n)::bytea, '', '', '2026-01-01'
     from generate_series(1, $2::int) n`,
    [workspaceId, MANY],
  );
  const indexes = `select token_index from api_keys where workspace_id = $1 and id in ('z0001', 'z${MANY}')`;
  await pool.query(
    `insert into key_workspaces (token_index, workspace_id) select ($1 || n)::bytea, $1 from generate_series(1, $2::int) n
     on conflict do nothing`,
    [workspaceId, MANY],
  );
  const { rows } = await pool.query<{ token_index: Buffer }>(indexes, [workspaceId]);
  await pool.query('delete from key_workspaces where token_index = any ($1)', [
    rows.map((row) => row.token_index),
  ]);
  expect((await repaired()).map(([, detail]) => detail)).toEqual([
    'key: key z0001: its token leads to no workspace',
    `key: key z${MANY}: its token leads to no workspace`,
  ]);
  await pool.query(`delete from api_keys where workspace_id = $1 and id in ('z0001', 'z${MANY}')`, [
    workspaceId,
  ]);
  expect(await repaired()).toHaveLength(2);
});

test('verify finds nothing while keys are created, rotated and revoked', async () => {
  const stop = new AbortController();
  let changes = 0;
  const change = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const { keyId } = await service.issue(workspaceId);
      await service.keys.rotate(workspaceId, keyId, TEST_ACTOR);
      await service.keys.rotate(workspaceId, issued.keyId, TEST_ACTOR);
      await service.keys.revoke(workspaceId, keyId, TEST_ACTOR);
      changes++;
    }
  };
  const changing = Promise.all([change(), change()]);
  const found = [];
  try {
    // Until keys were changed several times while it ran.
    while (changes < 4) found.push(...(await findingsOf(pool)));
  } finally {
    stop.abort();
    await changing;
  }
  expect(found).toEqual([]);
  expect(await findingsOf(pool)).toEqual([]);
});

test('verify finds nothing in a deleted workspace whose keys a job is removing', async () => {
  await pool.query('update workspaces set deleted_at = now() where id = $1', [workspaceId]);
  await pool.query('delete from key_workspaces where workspace_id = $1', [workspaceId]);
  expect(await findingsOf(pool)).toEqual([]);
  await pool.query('delete from api_keys where workspace_id = $1', [workspaceId]);
});
