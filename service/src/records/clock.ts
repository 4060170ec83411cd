import type pg from 'pg';

/** Microseconds since the epoch, UTC. Exact in a number until the year 2255. */
export type Micros = number;

/**
 * Locks the clock of the workspace until the transaction ends, and allocates `count` consecutive microseconds. Returns
 * the first one. Every transaction that writes records must hold this lock, so that created_at rises in commit order.
 */
export async function allocateTimestamps(
  client: pg.ClientBase,
  workspaceId: string,
  count: number,
): Promise<Micros> {
  const { rows } = await client.query<{ last: number }>({
    name: 'take_ticks',
    text: `update workspace_clocks
      set last_at = greatest(clock_timestamp(), last_at + interval '1 microsecond') + ($2::int - 1) * interval '1 microsecond'
      where workspace_id = $1
      returning (extract(epoch from last_at) * 1000000)::bigint as last`,
    values: [workspaceId, count],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('The workspace has no clock.');
  return row.last - (count - 1);
}

/**
 * Takes a shared lock on the clock of the workspace, until the transaction ends. While it is held, no transaction can
 * allocate timestamps. Returns false, without a lock, if timestamps were allocated after `last` or if a transaction
 * waits for the clock: one that waits for a row holds a tuple lock on it.
 */
export async function lockClockShared(
  client: pg.ClientBase,
  workspaceId: string,
  last: Micros,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'hold_clock',
    text: `select 1 from workspace_clocks c where workspace_id = $1 and last_at = $2 and not exists (
        select from pg_locks l where l.locktype = 'tuple' and l.relation = 'workspace_clocks'::regclass
          and l.database = (select oid from pg_database where datname = current_database()))
      for share of c skip locked`,
    values: [workspaceId, timeOfMicros(last)],
  });
  return rowCount === 1;
}

/** The inverse of {@link timeOfMicros}. */
export const microsOfTime = (time: string): Micros =>
  Date.parse(`${time.slice(0, 19)}Z`) * 1000 + Number(time.slice(20, 26));

/** `2026-03-01T09:30:00.123456Z`, always six fractional digits. */
export function timeOfMicros(micros: Micros): string {
  const seconds = Math.floor(micros / 1_000_000);
  const fraction = String(micros - seconds * 1_000_000).padStart(6, '0');
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
}
