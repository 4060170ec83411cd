import type pg from 'pg';
import { type Finding, fail, ok } from './check.ts';

/** What differs less is the time between two statements, or a clock that is set by the same time server. */
const AHEAD_MAX_SECONDS = 60;

interface Ahead {
  readonly workspace_id: string;
  readonly what: string;
  readonly until: string;
}

/**
 * What a workspace has that the database's clock has not reached: times rise from the last one on, so after the clock
 * was once ahead they stay there. `month` is the meter's: until then its live requests are never begun anew.
 */
const AHEAD = `
  with latest as (select now() + $1 * interval '1 second' as at)
  select workspace_id, what, to_char(until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as until
  from (
    select workspace_id, 'clock of records' as what, last_at as until from workspace_clocks
    union all
    select workspace_id, 'clock of the audit log', last_entry_at from live_meters
    union all
    select workspace_id, 'month of the live quota', month::timestamp at time zone 'UTC' from live_meters
  ) times, latest
  where until > at
  order by until desc, workspace_id, what`;

/** Whether a clock that was ahead has left times in the database that the present has not reached. */
export async function checkAhead(pool: pg.Pool): Promise<Finding> {
  const { rows } = await pool.query<Ahead>(AHEAD, [AHEAD_MAX_SECONDS]);
  const [worst] = rows;
  if (worst === undefined) return ok('times', 'no clock or meter is ahead of the database');
  const more = rows.length === 1 ? '' : `, and ${rows.length - 1} more`;
  return fail(
    'times',
    `the ${worst.what} of ${worst.workspace_id} is ahead, at ${worst.until}${more}`,
    'correct the clock of the database server first; then see "A clock that was ahead" in docs/operations.md',
  );
}
