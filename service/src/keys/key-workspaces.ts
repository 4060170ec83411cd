import type { Shares } from '@svc/turns/lane';
import type pg from 'pg';
import { lookUp } from '../database/look-up.ts';
import { preparedStatement, statement } from '../database/statement.ts';

/**
 * The workspaces of keys, by the indexes of their tokens. A token does not name its workspace, and in a cluster only a
 * statement with the workspace runs on one node. Each change of a key's index changes this table in its transaction.
 */

const findWorkspace = preparedStatement('find_key_workspace', 'request')`
  select w.workspace_id from unnest($1::bytea[]) as wanted (token_index) cross join lateral (
    ${lookUp({
      select: 'workspace_id',
      from: 'key_workspaces',
      workspace: null,
      column: 'token_index',
      key: 'wanted.token_index',
    })}) w`;

/**
 * The workspace of the key with one of these indexes. Undefined: no key has one. The only statement of a request that is not
 * bound to a workspace: it finds the workspace.
 */
export async function workspaceOfKey(reads: Shares, indexes: readonly Buffer[]): Promise<string | undefined> {
  // The workspace is not known yet, so each token has its own share of the connections.
  const share = reads.of(`key ${indexes[0]?.toString('base64')}`);
  return (await share.query<{ workspace_id: string }>(findWorkspace(indexes))).rows[0]?.workspace_id;
}

const insertWorkspace = statement('insert_key_workspace', 'request')`
  insert into key_workspaces (token_index, workspace_id) values ($1, $2) on conflict do nothing`;
const deleteWorkspace = statement('delete_key_workspace', 'request')`
  delete from key_workspaces where token_index = $1`;

/**
 * Notes the workspace of a new index. `replaced`: the index that the key had before. The caller has every other lock
 * already: in a cluster, transactions write this table one after the other, whatever their workspaces are.
 */
export async function noteKeyWorkspace(
  client: pg.ClientBase,
  workspaceId: string,
  index: Buffer,
  replaced?: Buffer,
): Promise<void> {
  await client.query(insertWorkspace(index, workspaceId));
  if (replaced !== undefined && !replaced.equals(index)) await client.query(deleteWorkspace(replaced));
}

/** Repairs the row of a key, whatever was stored before. The caller has locked the key. */
export async function placeKey(client: pg.ClientBase, workspaceId: string, index: Buffer): Promise<void> {
  await client.query(deleteWorkspace(index));
  await client.query(insertWorkspace(index, workspaceId));
}

/** Removes the row of an index that no key has. */
export async function removeIndex(client: pg.ClientBase, index: Buffer): Promise<void> {
  await client.query(deleteWorkspace(index));
}
