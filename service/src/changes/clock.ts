import { type Micros, timeOfMicros } from '@svc/exact-times/micros';
import type pg from 'pg';
import { preparedStatement } from '../database/statement.ts';
import { microseconds, plusMicroseconds } from '../database/utc.ts';

/**
 * Says until the end of the transaction that it appends its changes to the feed. The triggers `mark_missed_change` note
 * writes of transactions that do not, such as those of a node of an earlier version: then positions before them expire.
 */
const FEED_IS_KEPT = "set_config('svc.feed', 'kept', true)";

const NEXT = plusMicroseconds('last_at', 1);
// The outer select runs where the rows are, so that their triggers see the setting, also on a node of a cluster.
const advanceClock = preparedStatement('allocate_timestamps', 'request')`
  with clock as (
    update workspace_clocks
    set last_at = ${plusMicroseconds(`greatest(statement_timestamp(), ${NEXT})`, '($2::int - 1)')}
    where workspace_id = $1 returning last_at
  )
  select ${microseconds('last_at')} as last, ${FEED_IS_KEPT} from clock`;

/**
 * Locks the clock of the workspace until the transaction ends, and allocates `count` consecutive microseconds. Returns
 * the first one. Every transaction that writes records must hold this lock, so that created_at rises in commit order.
 */
export async function allocateTimestamps(
  client: pg.ClientBase,
  workspaceId: string,
  count: number,
): Promise<Micros> {
  const { rows } = await client.query<{ last: number }>(advanceClock(workspaceId, count));
  const [row] = rows;
  if (row === undefined) throw new Error('The workspace has no clock.');
  return row.last - (count - 1);
}

// Functions instead of the views of the catalog, which Citus does not join with the rows of a workspace.
const selectClockForShare = preparedStatement('lock_clock_shared', 'request')`
  select ${FEED_IS_KEPT} from workspace_clocks c where workspace_id = $1 and last_at = $2 and not exists (
    select from pg_lock_status() l where l.locktype = 'tuple' and l.relation = c.tableoid
      and l.database = (select datid from pg_stat_get_activity(pg_backend_pid())))
  for share of c skip locked`;

/**
 * Takes a shared lock on the clock of the workspace, until the transaction ends. While it is held, no transaction can
 * allocate timestamps. Returns false, without a lock, if timestamps were allocated after `last` or if a transaction
 * waits for a workspace's clock: a transaction that waits for a row holds a tuple lock.
 */
export async function lockClockShared(
  client: pg.ClientBase,
  workspaceId: string,
  last: Micros,
): Promise<boolean> {
  const { rowCount } = await client.query(selectClockForShare(workspaceId, timeOfMicros(last)));
  return rowCount === 1;
}
