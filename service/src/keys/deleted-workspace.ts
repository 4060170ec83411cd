import type { Queryable } from '../database/lane.ts';
import { statement } from '../database/statement.ts';

/** The keys of a workspace that is deleted, restored or removed. The log has an entry of the workspace, not of each key. */

/** The most keys that one statement removes, so that it is short. */
const KEYS_MAX = 1_000;
const JOB = 'background: a job, which removes the data of deleted workspaces';

const suspend = statement('suspend_keys', 'request')`
  update api_keys set workspace_deleted = $2 where workspace_id = $1 and workspace_deleted <> $2`;
const selectKeys = statement('keys_to_remove', JOB)`
  select id, token_index as index from api_keys where workspace_id = $1 order by id limit ${KEYS_MAX}`;
const deleteIndexes = statement('remove_key_indexes', JOB)`
  delete from key_workspaces where token_index = any ($1::bytea[])`;
const deleteKeys = statement('remove_keys', JOB)`
  delete from api_keys where workspace_id = $1 and id = any ($2::text[])`;

/** Refuses all keys of the workspace, or accepts them again. The caller has locked its log. */
export async function suspendKeys(client: Queryable, workspaceId: string, suspended: boolean): Promise<void> {
  await client.query(suspend(workspaceId, suspended));
}

/** Removes the rows of some keys. Returns false if there was none left. */
export async function removeSomeKeys(client: Queryable, workspaceId: string): Promise<boolean> {
  const { rows } = await client.query<{ id: string; index: Buffer }>(selectKeys(workspaceId));
  if (rows.length === 0) return false;
  // The index first: a process that is killed in between finds the keys again.
  await client.query(deleteIndexes(rows.map(({ index }) => index)));
  await client.query(
    deleteKeys(
      workspaceId,
      rows.map(({ id }) => id),
    ),
  );
  return true;
}
