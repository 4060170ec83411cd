import type pg from 'pg';
import type { Logger } from 'pino';
import { dropExpiredPartitions, type Expiry, ensurePartitions } from '../audit-log/partitions.ts';

export interface AuditLogMaintenance extends Expiry {
  readonly pool: pg.Pool;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Makes the audit log's months ahead and drops those whose every entry is older than the retention. Any number of
 * nodes may do it at once, and as often as they like. Never a part of a start: one with a wrong clock must not be able
 * to erase the log.
 */
export async function maintainAuditLog({ pool, log, ...expiry }: AuditLogMaintenance): Promise<void> {
  await makeAuditLogMonths({ pool, log, atMs: expiry.databaseNowMs });
  const { dropped, doubt } = await dropExpiredPartitions(pool, expiry);
  if (dropped.length > 0) log.info(`dropped ${dropped.join(', ')}: older than ${expiry.retentionDays} days`);
  if (doubt !== undefined) {
    log.warn(
      `months of the audit log that are older than ${expiry.retentionDays} days were kept: ${doubt}. Set every ` +
        'clock by the same time server; svcd doctor compares them.',
    );
  }
}

/** Makes the audit log's months ahead, at a start and in the daily job. */
export async function makeAuditLogMonths({
  pool,
  log,
  atMs,
}: {
  readonly pool: pg.Pool;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly atMs?: number | undefined;
}): Promise<void> {
  const { made, held } = await ensurePartitions(pool, atMs);
  if (made.length > 0) log.info(`made the audit log's partitions ${made.join(', ')}`);
  if (held)
    log.warn('the months ahead of the audit log wait for somebody who holds it; the daily job tries again');
}
