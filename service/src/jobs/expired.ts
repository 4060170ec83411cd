import type pg from 'pg';
import type { Logger } from 'pino';
import { deleteExpiredSignIns } from '../dashboard/expired.ts';
import { IDEMPOTENCY_LIFETIME_SECONDS } from '../limits.ts';

/**
 * Removes rows that mean nothing any more: answers kept for repeated requests, ended sessions, unused links. What
 * reads them looks at their age itself; this only keeps the tables small.
 */
export async function deleteExpired({
  pool,
  log,
}: {
  readonly pool: pg.Pool;
  readonly log: Pick<Logger, 'info'>;
}): Promise<void> {
  const { rowCount } = await pool.query(
    `delete from idempotency_keys where created_at < now() - $1 * interval '1 second'`,
    [IDEMPOTENCY_LIFETIME_SECONDS],
  );
  const signIns = await deleteExpiredSignIns(pool);
  log.info({ answers: rowCount ?? 0, signIns }, 'removed what had expired');
}
