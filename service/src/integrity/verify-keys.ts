import { workspaceIsOpen } from '../audit-log/valid-key.ts';
import { pagesOf } from '../database/pages.ts';
import { statement } from '../database/statement.ts';
import { placeKey, removeIndex } from '../keys/key-workspaces.ts';
import { lockKey } from '../keys/locked-key.ts';
import { type VerifyOptions, withoutStatementTimeout } from './finding.ts';

const BATCH_KEYS = 1_000;

const selectFound = statement('verify_keys', 'bulk')`
  select k.id, not ${workspaceIsOpen('$1')} as removed, w.workspace_id as found
  from (select id, token_index from api_keys where workspace_id = $1 and id > $2 order by id limit ${BATCH_KEYS}) k
  left join key_workspaces w on w.token_index = k.token_index order by k.id`;

interface FoundKey {
  readonly id: string;
  /** The workspace is deleted. A job may be removing the key: first the row that finds its workspace, then the key. */
  readonly removed: boolean;
  readonly found: string | null;
}

/**
 * Verifies that the token of each key of a workspace leads to the workspace. Otherwise requests with the key get 401. The
 * key and the row that leads to it are read in one snapshot.
 */
export async function verifyKeys(
  { pool, repair, onFinding }: VerifyOptions,
  workspaceId: string,
): Promise<void> {
  const pages = pagesOf<FoundKey>(BATCH_KEYS, (last) =>
    withoutStatementTimeout(pool, (client) => client.query(selectFound(workspaceId, last?.id ?? ''))),
  );
  for await (const rows of pages) {
    for (const { id, found } of rows.filter((key) => !key.removed && key.found !== workspaceId)) {
      if (repair)
        await withoutStatementTimeout(pool, async (client) => {
          const key = await lockKey(client, workspaceId, id);
          if (key !== undefined) await placeKey(client, workspaceId, key.token_index);
        });
      const detail = `key ${id}: its token leads to ${found === null ? 'no' : 'another'} workspace`;
      await onFinding({ workspaceId, problem: 'key', detail, repaired: repair });
    }
  }
}

const selectIndexes = statement(
  'verify_key_indexes',
  'background: svcd verify reads the indexes of all keys once',
)`
  select token_index as index, workspace_id as "workspaceId" from key_workspaces
  where token_index > $1 order by token_index limit ${BATCH_KEYS}`;
const selectKeys = statement(
  'keys_of_indexes',
  'background: svcd verify looks for the keys of all indexes once',
)`
  select token_index as index, workspace_id as "workspaceId" from api_keys where token_index = any ($1::bytea[])`;
const selectStale = statement('verify_key_index', 'request')`
  select from key_workspaces w where w.token_index = $2 and w.workspace_id = $1 and not exists (
    select from api_keys k where k.workspace_id = $1 and k.token_index = $2)`;

interface KeyIndex {
  readonly index: Buffer;
  readonly workspaceId: string;
}

const nameOf = ({ index, workspaceId }: KeyIndex): string => `${index.toString('hex')} ${workspaceId}`;

/**
 * Verifies that each row that leads a token to a workspace has a key there. A key may change between the two statements, so
 * what they find is confirmed in one snapshot.
 */
export async function verifyKeyIndexes({ pool, repair, onFinding }: VerifyOptions): Promise<void> {
  const pages = pagesOf<KeyIndex>(BATCH_KEYS, (last) =>
    withoutStatementTimeout(pool, (client) => client.query(selectIndexes(last?.index ?? Buffer.of()))),
  );
  for await (const rows of pages) {
    const keys = await withoutStatementTimeout(pool, (client) =>
      client.query<KeyIndex>(selectKeys(rows.map(({ index }) => index))),
    );
    const known = new Set(keys.rows.map(nameOf));
    for (const row of rows.filter((each) => !known.has(nameOf(each)))) {
      const { index, workspaceId } = row;
      const stale = await withoutStatementTimeout(pool, async (client) => {
        const { rowCount } = await client.query(selectStale(workspaceId, index));
        if (repair && rowCount === 1) await removeIndex(client, index);
        return rowCount === 1;
      });
      if (!stale) continue;
      const detail = 'the index of a token leads to this workspace, which has no key with it';
      await onFinding({ workspaceId, problem: 'key', detail, repaired: repair });
    }
  }
}
