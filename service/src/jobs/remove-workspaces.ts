import type pg from 'pg';
import { WORKSPACE_RESTORE_DAYS } from '../dashboard/limits.ts';
import { TABLE_PLACEMENTS } from '../database/citus/placements.ts';
import { CHUNK_ROWS, deleteInChunks } from '../database/delete-in-chunks.ts';
import { attemptsForEach } from '../database/errors.ts';
import { pagesOf } from '../database/pages.ts';
import { type BoundStatement, statement } from '../database/statement.ts';
import { removeSomeKeys } from '../keys/deleted-workspace.ts';

const JOB = 'background: a job, which removes the data of deleted workspaces';
const WORKSPACES_MAX = 100;
/** Time after the last moment at which an owner could restore the workspace. */
const MARGIN_HOURS = 1;

/** First the members, so that no sign-in is logged. Clock and words before the records: their triggers then do nothing. */
const FIRST = ['members', 'invitations', 'workspace_clocks', 'word_blocks'];
/** Companies and endpoints after their rows, so that no deletion cascades. The meters after the log, which they count. */
const LAST = ['companies', 'webhook_endpoints', 'api_keys', 'live_meters', 'usage_marks', 'workspaces'];
const others = Object.entries(TABLE_PLACEMENTS)
  .filter(([table, place]) => place === 'workspace' && ![...FIRST, ...LAST].includes(table))
  .map(([table]) => table);

const selectDue = statement('removable_workspaces', JOB)`
  select id from workspaces
  where deleted_at < least(now(), $3::timestamptz) - $1 * interval '1 day' - ${MARGIN_HOURS} * interval '1 hour' and id > $2
  order by id limit ${WORKSPACES_MAX}`;
// By their ctid, so that a row is found without a plan that depends on statistics. Nothing writes them any more. It
// returns what it has found, because another node may have deleted that meanwhile, and more rows are left.
const deletionOf = (table: string): BoundStatement => statement(`remove_rows_of_${table}`, JOB)`
  with found as materialized (select ctid from ${table} where workspace_id = $1 limit ${CHUNK_ROWS}),
  gone as (delete from ${table} where workspace_id = $1 and ctid = any (array(select found.ctid from found)))
  select 1 from found`;
const deletions = [...FIRST, ...others, 'companies', 'webhook_endpoints'].map(deletionOf);
const deleteMeters = ['live_meters', 'usage_marks'].map(deletionOf);
const deleteWorkspace = statement('remove_workspace', JOB)`
  delete from workspaces where id = $1 and deleted_at is not null`;

/**
 * Removes the data of workspaces that were deleted more than seven days ago, by the clock of the database and by that of
 * this node, in short statements that commit one by one. Several nodes may run it at the same time. Returns the ids of
 * those that are gone. The signal, or the end of the process, stops it between two statements; the next call removes the
 * rest. If it fails for a workspace, it removes the others, and throws at the end.
 */
export async function removeDeletedWorkspaces(
  pool: pg.Pool,
  nodeNowMs: number,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const nodeNow = new Date(nodeNowMs).toISOString();
  const removed: string[] = [];
  const attempts = attemptsForEach();
  const pages = pagesOf<{ id: string }>(
    WORKSPACES_MAX,
    (last) => pool.query(selectDue(WORKSPACE_RESTORE_DAYS, last?.id ?? '', nodeNow)),
    signal,
  );
  for await (const rows of pages) {
    for (const { id } of rows) {
      if (await attempts.of(id, () => removeData(pool, id, signal))) removed.push(id);
    }
  }
  attempts.end();
  return removed;
}

/** Returns false if the signal stopped it. */
async function removeData(pool: pg.Pool, workspaceId: string, signal?: AbortSignal): Promise<boolean> {
  const stopped = (): boolean => signal?.aborted === true;
  const run = (deletion: BoundStatement): Promise<number> =>
    deleteInChunks(pool, deletion, [workspaceId], signal);
  for (const deletion of deletions) await run(deletion);
  while (!stopped() && (await removeSomeKeys(pool, workspaceId)));
  for (const deletion of deleteMeters) await run(deletion);
  if (stopped()) return false;
  await pool.query(deleteWorkspace(workspaceId));
  return true;
}
