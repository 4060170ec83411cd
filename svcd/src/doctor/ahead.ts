import { statement } from '@svc/service/database/statement';
import { utcSeconds } from '@svc/service/database/utc';
import type pg from 'pg';
import { type Finding, fail, ok } from './check.ts';

/** Smaller differences are normal: time passes between two statements. */
const AHEAD_MAX_SECONDS = 60;

interface Ahead {
  readonly workspace_id: string;
  readonly what: string;
  readonly until: string;
}

/**
 * The stored times that are in the future. A new time must be later than the last one, so stored times stay in the future
 * after the database's clock was ahead once. `month` is the month in which live requests were counted last; the count is
 * reset only in a later month.
 */
const selectAhead = statement('times_ahead', 'background: svcd doctor reads the clocks of all workspaces')`
  with latest as (select now() + $1 * interval '1 second' as at)
  select workspace_id, what, ${utcSeconds('until')} as until
  from (
    select workspace_id, 'clock of records' as what, last_at as until from workspace_clocks
    union all
    select workspace_id, 'clock of the audit log', last_entry_at from live_meters
    union all
    select workspace_id, 'month of the live quota', month::timestamp at time zone 'UTC' from live_meters
  ) times, latest
  where until > at
  order by until desc, workspace_id, what`;

/** Fails if the database has stored times in the future. */
export async function checkAhead(pool: pg.Pool): Promise<Finding> {
  const { rows } = await pool.query<Ahead>(selectAhead(AHEAD_MAX_SECONDS));
  const [worst] = rows;
  if (worst === undefined) return ok('times', 'no stored time is in the future');
  const more = rows.length === 1 ? '' : `, and ${rows.length - 1} more`;
  return fail(
    'times',
    `the ${worst.what} of ${worst.workspace_id} is in the future: ${worst.until}${more}`,
    'correct the clock of the database server, then run: svcd verify --repair (see "A clock that was ahead" in docs/operations.md)',
  );
}
