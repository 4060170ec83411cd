import type pg from 'pg';
import type { Logger } from 'pino';
import { deleteExpiredSignIns } from '../dashboard/expired.ts';
import { deleteInChunks } from '../database/delete-in-chunks.ts';
import { IDEMPOTENCY_LIFETIME_SECONDS } from '../limits.ts';

/**
 * Removes rows that mean nothing any more: answers kept for repeated requests, ended sessions, unused links. What
 * reads them looks at their age itself; this only keeps the tables small. The signal ends it before it is done.
 */
export async function deleteExpired({
  pool,
  log,
  signal,
}: {
  readonly pool: pg.Pool;
  readonly log: Pick<Logger, 'info'>;
  readonly signal?: AbortSignal;
}): Promise<void> {
  const answers = await deleteInChunks(
    pool,
    {
      table: 'idempotency_keys',
      key: 'workspace_id, idempotency_key',
      where: `created_at < now() - $1 * interval '1 second'`,
      values: [IDEMPOTENCY_LIFETIME_SECONDS],
    },
    signal,
  );
  const signIns = await deleteExpiredSignIns(pool, signal);
  log.info({ answers, signIns }, 'removed what had expired');
}
