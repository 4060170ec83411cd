import { createAttempts } from '@svc/turns/attempts';
import type pg from 'pg';
import type { Logger } from 'pino';
import { dropExpiredPartitions, type Expiry, ensurePartitions } from '../audit-log/partitions.ts';
import { counted } from '../config/plural.ts';

export interface AuditLogMaintenance extends Expiry {
  readonly pool: pg.Pool;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Creates the audit log's partitions for the coming months and drops partitions with only entries older than the
 * retention. Several nodes may run it at the same time. A start does not run it, so that a node with a wrong clock cannot
 * erase the log. Returns whether to run it again soon: a backup ran, and partitions must be dropped after it. Drops also if
 * the creation fails, as on a full disk, and throws at the end.
 */
export async function maintainAuditLog({ pool, log, ...expiry }: AuditLogMaintenance): Promise<boolean> {
  const attempts = createAttempts();
  const atMs = expiry.databaseNowMs;
  await attempts.of('new partitions', () => createAuditLogPartitions({ pool, log, atMs }));
  const { dropped, doubt, postponed } = await dropExpiredPartitions(pool, expiry);
  if (dropped.length > 0)
    log.info(`dropped ${dropped.join(', ')}: older than ${counted(expiry.retentionDays, 'day', 'days')}`);
  if (doubt !== undefined) {
    log.warn(
      `months of the audit log older than ${counted(expiry.retentionDays, 'day', 'days')} were kept: ${doubt}. ` +
        'Synchronise all clocks with the same time server; svcd doctor compares them.',
    );
  }
  attempts.end();
  return postponed === true;
}

/** Creates the audit log's partitions for the coming months. Runs at each start and in the daily job. */
export async function createAuditLogPartitions({
  pool,
  log,
  atMs,
}: {
  readonly pool: pg.Pool;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly atMs?: number | undefined;
}): Promise<void> {
  const { created, held } = await ensurePartitions(pool, atMs);
  if (created.length > 0) log.info(`created the audit log's partitions ${created.join(', ')}`);
  if (held)
    log.warn(
      'another session has locked the audit log, so partitions for the coming months are missing; the daily job tries again',
    );
}
