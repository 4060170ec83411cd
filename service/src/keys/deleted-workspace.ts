import type { Queryable } from '@svc/turns/lane';
import { statement } from '../database/statement.ts';

/** The keys of a deleted workspace whose data is removed. */

/** The most keys that one statement removes, so that it is short. */
const KEYS_MAX = 1_000;
const JOB = 'background: a job, which removes the data of deleted workspaces';

const selectKeys = statement('keys_to_remove', JOB)`
  select id, token_index as index from api_keys where workspace_id = $1 order by id limit ${KEYS_MAX}`;
const deleteIndexes = statement('remove_key_indexes', JOB)`
  delete from key_workspaces where token_index = any ($1::bytea[])`;
const deleteKeys = statement('remove_keys', JOB)`
  delete from api_keys where workspace_id = $1 and id = any ($2::text[])`;

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
