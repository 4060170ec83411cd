import type pg from 'pg';
import { type Micros, timeOfMicros } from '../config/micros.ts';
import { preparedStatement } from '../database/statement.ts';

/**
 * Says until the end of the transaction that it appends its changes to the feed. The triggers `mark_missed_change` note
 * writes of transactions that do not, such as those of a node of an earlier version: then positions before them expire.
 */
const FEED_IS_KEPT = "set_config('svc.feed', 'kept', true)";

const advanceClock = preparedStatement('allocate_timestamps', 'request')`
  update workspace_clocks
  set last_at = greatest(clock_timestamp(), last_at + interval '1 microsecond') + ($2::int - 1) * interval '1 microsecond'
  where workspace_id = $1
  returning (extract(epoch from last_at) * 1000000)::bigint as last, ${FEED_IS_KEPT}`;

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

const selectClockForShare = preparedStatement('lock_clock_shared', 'request')`
  select ${FEED_IS_KEPT} from workspace_clocks c where workspace_id = $1 and last_at = $2 and not exists (
    select from pg_locks l where l.locktype = 'tuple' and l.relation = 'workspace_clocks'::regclass
      and l.database = (select oid from pg_database where datname = current_database()))
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
