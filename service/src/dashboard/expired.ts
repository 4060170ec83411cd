import type pg from 'pg';
import { AUTH_WINDOW_SECONDS, SIGN_IN_WINDOW_SECONDS } from './limits.ts';

/** Removes what sign-in has no use for any more; returns the number of rows. For a job, once a day or so. */
export async function deleteExpiredSignIns(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ deleted: number }>(
    `with
      ended as (delete from sessions where expires_at <= now() returning 1),
      unproven as (delete from verifications where expires_at <= now() returning 1),
      unused as (delete from one_time_links where expires_at <= now() returning 1),
      calm as (
        delete from rate_limits where last_request < (extract(epoch from now()) - $1) * 1000 returning 1
      )
    select (select count(*) from ended) + (select count(*) from unproven) + (select count(*) from unused)
      + (select count(*) from calm) as deleted`,
    [Math.max(AUTH_WINDOW_SECONDS, SIGN_IN_WINDOW_SECONDS)],
  );
  return rows[0]?.deleted ?? 0;
}
