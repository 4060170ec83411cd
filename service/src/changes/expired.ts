import type pg from 'pg';
import { attemptsForEach } from '../database/errors.ts';
import { pagesOf } from '../database/pages.ts';
import { inTransaction } from '../database/pool.ts';
import { statement } from '../database/statement.ts';

/** Workspaces that one statement visits. */
const WORKSPACES_MAX = 100;
/** Rows of a workspace that one transaction deletes, so that it is short. */
const ROWS_MAX = 200;

const JOB = 'background: a job, which visits all workspaces';
/** Until when changes have expired, by the retention and the clock of the node. */
const END = `least(now(), $3::timestamptz) - $2 * interval '1 day'`;

const selectWorkspaces = statement('workspaces_after', JOB)`
  select id, coalesce(
    (select min(last_at) from changes c where c.workspace_id = w.id) < ${END}, false) as "hasExpired"
  from workspaces w where id > $1 order by id limit ${WORKSPACES_MAX}`;
const selectLast = statement('last_expired_change', JOB)`
  select max(last_at)::text as last from (
    select last_at from changes where workspace_id = $1 and last_at < ${END} order by last_at limit ${ROWS_MAX}) c`;
const moveStart = statement('move_feed_start', JOB)`
  insert into feed_starts (workspace_id, complete_after) values ($1, $2::timestamptz)
  on conflict (workspace_id) do update set complete_after = greatest(feed_starts.complete_after, excluded.complete_after)`;
const deleteRows = statement('delete_expired_changes', JOB)`
  with gone as (delete from changes where workspace_id = $1 and last_at <= $2::timestamptz returning changes)
  select coalesce(sum(changes), 0)::int as changes from gone`;

export interface ChangeExpiry {
  readonly retentionDays: number;
  /** The clock of this node. A change is deleted only if it is too old by the clock of the database and by this one. */
  readonly nodeNowMs: number;
  /** Ends it early. */
  readonly signal?: AbortSignal;
}

/**
 * Deletes changes that are older than the retention, in short transactions. Each one also moves the time after which the
 * feed of a workspace is complete, so an earlier position gets 410. Returns the number of changes. If it fails for a
 * workspace, it deletes those of the others, and throws at the end.
 */
export async function deleteExpiredChanges(
  pool: pg.Pool,
  { retentionDays, nodeNowMs, signal }: ChangeExpiry,
): Promise<number> {
  const nodeNow = new Date(nodeNowMs).toISOString();
  const attempts = attemptsForEach();
  let deleted = 0;
  const pages = pagesOf<{ id: string; hasExpired: boolean }>(
    WORKSPACES_MAX,
    (last) => pool.query(selectWorkspaces(last?.id ?? '', retentionDays, nodeNow)),
    signal,
  );
  for await (const rows of pages) {
    for (const { id } of rows.filter(({ hasExpired }) => hasExpired)) {
      let changes: number | undefined = 0;
      while (changes !== undefined && signal?.aborted !== true) {
        changes = await attempts.of(id, () => deleteSome(pool, id, retentionDays, nodeNow));
        deleted += changes ?? 0;
      }
    }
  }
  attempts.end();
  return deleted;
}

/** Undefined: none is left. */
const deleteSome = (
  pool: pg.Pool,
  workspaceId: string,
  retentionDays: number,
  nodeNow: string,
): Promise<number | undefined> =>
  inTransaction(pool, async (client) => {
    const found = await client.query<{ last: string | null }>(
      selectLast(workspaceId, retentionDays, nodeNow),
    );
    const last = found.rows[0]?.last ?? undefined;
    if (last === undefined) return undefined;
    await client.query(moveStart(workspaceId, last));
    const { rows } = await client.query<{ changes: number }>(deleteRows(workspaceId, last));
    return rows[0]?.changes ?? 0;
  });
