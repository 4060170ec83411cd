import type pg from 'pg';
import { inject } from 'vitest';

/** Whether the tests run on a cluster of Citus. */
export const inCluster = (): boolean => inject('databaseServer')?.nodes !== undefined;

const WAITING = `select count(*)::int as waiting from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

/** How many statements of the database wait for a lock now, on all nodes of a cluster. */
export async function waitingForLocks(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ waiting: number }>(
    inCluster()
      ? `select sum(result::int)::int as waiting from run_command_on_all_nodes($$${WAITING}$$)`
      : WAITING,
  );
  return rows[0]?.waiting ?? 0;
}
