import { IDEMPOTENCY_LIFETIME_SECONDS } from '@svc/sdk/contract';
import type pg from 'pg';
import type { Logger } from 'pino';
import { TRAFFIC_RETENTION_DAYS } from '../config/limits.ts';
import { deleteExpiredSignIns } from '../dashboard/expired.ts';
import { deleteInChunks } from '../database/delete-in-chunks.ts';

/**
 * Removes expired rows: responses stored for repeated requests, ended sessions, unused links, old traffic. Code that reads
 * these rows checks their age itself, so this only keeps the tables small. The signal ends it early.
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
      table: 'idempotent_answers',
      key: 'workspace_id, idempotency_key',
      where: `created_at < now() - $1 * interval '1 second'`,
      values: [IDEMPOTENCY_LIFETIME_SECONDS],
    },
    signal,
  );
  const signIns = await deleteExpiredSignIns(pool, signal);
  const traffic = await deleteInChunks(
    pool,
    {
      table: 'traffic',
      key: 'workspace_id, hour, mode, bucket',
      where: `hour < now() - $1 * interval '1 day'`,
      values: [TRAFFIC_RETENTION_DAYS],
    },
    signal,
  );
  log.info({ answers, signIns, traffic }, 'removed expired rows');
}
