import { waitFor } from '@svc/embedded-postgres/testing';
import { unshared } from '@svc/turns/lane';
import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { waitingForLocks } from '../../test/harness/locks.ts';
import { TEST_ACTOR, testKeys } from '../../test/harness/service.ts';
import { inTransaction } from '../database/pool.ts';
import { companies, content } from '../resources/index.ts';
import { complete, type RecordWrite, type WriteResult } from './create.ts';
import { insertRecords } from './insert.ts';
import { patchRecord, removeRecord } from './mutations.ts';
import { createWorkspace } from './workspaces.ts';

const { pool } = await createTestDatabase();

const workspaceId = await inTransaction(pool, async (client) => {
  const id = await createWorkspace(client, 'test');
  await insertRecords(client, id, companies, [{ id: 'c1', name: 'c1' }]);
  return id;
});
const scope = { workspaceId, companyId: null };
let records = 0;

async function item(): Promise<string> {
  const id = `item_${++records}`;
  const input = { id, companyId: 'c1', title: 'first', url: null, status: 'draft' };
  await inTransaction(pool, (client) => insertRecords(client, workspaceId, content, [input]));
  return id;
}

const run = <Result extends WriteResult>(write: RecordWrite<Result>): Promise<Result> =>
  inTransaction(pool, (client) => complete(write, client));

/** Runs `change` while another transaction, which does not lock the clock, has written the row and then commits. */
async function during<T>(sql: string, id: string, change: () => Promise<T>): Promise<T> {
  const other: pg.PoolClient = await pool.connect();
  try {
    await other.query('begin');
    await other.query(sql, [workspaceId, id]);
    const changed = change();
    changed.catch(() => undefined);
    await waitFor(async () => expect(await waitingForLocks(pool)).toBe(1));
    await other.query('commit');
    return await changed;
  } finally {
    other.release();
  }
}

const storedTitle = async (id: string): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ title: string; doc: string }>(
    'select title, doc from content where workspace_id = $1 and id = $2',
    [workspaceId, id],
  );
  return rows.flatMap(({ title, doc }) => [title, (JSON.parse(doc) as { title: string }).title]);
};

// As a repair by `svcd verify` does, which writes a row without the clock.
const REPAIR = `update content set doc = replace(doc, 'first', 'repaired'), title = 'repaired' where workspace_id = $1 and id = $2`;
const DELETE = 'delete from content where workspace_id = $1 and id = $2';

describe('a record that another transaction writes between the look-up and the lock', () => {
  test('is changed as the other transaction has left it', async () => {
    const id = await item();
    const patch = patchRecord(content, scope, id, { url: 'https://example.com/new' }, {});
    const { answer } = await during(REPAIR, id, () => run(patch));
    expect(JSON.parse(answer.body)).toMatchObject({ title: 'repaired', url: 'https://example.com/new' });
    expect(await storedTitle(id)).toEqual(['repaired', 'repaired']);
    const { rows } = await pool.query('select url from content where id = $1', [id]);
    expect(rows).toEqual([{ url: 'https://example.com/new' }]);
  });

  test('is deleted, also in its new version', async () => {
    const id = await item();
    const remove = removeRecord(content, scope, id, {});
    expect(await during(REPAIR, id, () => run(remove))).toMatchObject({
      recordIds: [id],
    });
    expect(await storedTitle(id)).toEqual([]);
  });

  test('is not found if the other transaction has deleted it', async () => {
    const id = await item();
    const patch = patchRecord(content, scope, id, { title: 'second' }, {});
    await expect(during(DELETE, id, () => run(patch))).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

test('a key that another transaction writes meanwhile is revoked and rotated in its new version', async () => {
  const keys = testKeys(unshared(pool));
  const key = { name: 'test', mode: 'live', access: 'read', companyId: null } as const;
  const used = `update api_keys set last_used_at = now() where workspace_id = $1 and id = $2`;
  const created = await keys.create(workspaceId, key, TEST_ACTOR);
  if (created === 'no_company') throw new Error(created);
  const { id, hint } = created.key;
  const rotated = await during(used, id, () => keys.rotate(workspaceId, id, TEST_ACTOR));
  expect(rotated).toMatchObject({ key: { lastUsedAt: expect.any(String) } });
  const revoked = await during(used, id, () => keys.revoke(workspaceId, id, TEST_ACTOR));
  expect(revoked).toMatchObject({ revokedAt: expect.any(String), lastUsedAt: expect.any(String) });
  const { rows } = await pool.query('select hint from api_keys where id = $1', [id]);
  expect(rows[0]).not.toEqual({ hint });
});

describe('a company with records', () => {
  test('is not deleted, also by SQL, and the failure names what it has', async () => {
    await item();
    const remove = removeRecord(companies, scope, 'c1', {});
    await expect(run(remove)).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(pool.query('delete from companies where workspace_id = $1', [workspaceId])).rejects.toThrow(
      'the company c1 still has content',
    );
  });
});
