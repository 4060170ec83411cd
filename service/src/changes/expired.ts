import type pg from 'pg';
import { statement } from '../database/statement.ts';

/** Workspaces, and rows of each, that one statement handles, so that it is short. */
const WORKSPACES_MAX = 100;
const ROWS_OF_EACH_MAX = 100;

const JOB = 'background: a job, which visits all workspaces';

const selectWorkspaces = statement('workspaces_after', JOB)`
  select id from workspaces where id > $1 order by id limit ${WORKSPACES_MAX}`;

// By its place, so that a row is found without a plan that depends on statistics. A row of the feed is never changed.
const deleteRows = statement('delete_expired_changes', JOB)`
  with gone as (
    delete from changes where ctid = any (array(
      select old.place from unnest($1::text[]) as w (id) cross join lateral (
        select ctid as place from changes
        where workspace_id = w.id and last_at < least(now(), $3::timestamptz) - $2 * interval '1 day'
        order by last_at limit ${ROWS_OF_EACH_MAX}
      ) old
    )) returning workspace_id, last_at, changes
  ), started as (
    insert into feed_starts (workspace_id, complete_after)
    select workspace_id, max(last_at) from gone group by workspace_id order by workspace_id
    on conflict (workspace_id) do update set complete_after = greatest(feed_starts.complete_after, excluded.complete_after)
  )
  select coalesce(sum(changes), 0)::int as changes, count(*)::int as rows from gone`;

export interface ChangeExpiry {
  readonly retentionDays: number;
  /** The clock of this node. A change is deleted only if it is too old by the clock of the database and by this one. */
  readonly nodeNowMs: number;
  /** Ends it early. */
  readonly signal?: AbortSignal;
}

/**
 * Deletes changes that are older than the retention, in short transactions. Each one also moves the time after which the
 * feed of a workspace is complete, so an earlier position gets 410. Returns the number of changes.
 */
export async function deleteExpiredChanges(
  pool: pg.Pool,
  { retentionDays, nodeNowMs, signal }: ChangeExpiry,
): Promise<number> {
  const nodeNow = new Date(nodeNowMs).toISOString();
  let deleted = 0;
  let after = '';
  const goesOn = (): boolean => signal?.aborted !== true;
  while (goesOn()) {
    const { rows: workspaces } = await pool.query<{ id: string }>(selectWorkspaces(after));
    const last = workspaces.at(-1);
    if (last === undefined) break;
    const ids = workspaces.map(({ id }) => id);
    let more = true;
    while (more && goesOn()) {
      const { rows } = await pool.query<{ changes: number; rows: number }>(
        deleteRows(ids, retentionDays, nodeNow),
      );
      deleted += rows[0]?.changes ?? 0;
      more = (rows[0]?.rows ?? 0) > 0;
    }
    after = last.id;
  }
  return deleted;
}
