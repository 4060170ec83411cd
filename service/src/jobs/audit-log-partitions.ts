import type pg from 'pg';
import type { Logger } from 'pino';
import { dropExpiredPartitions, ensurePartitions } from '../audit-log/partitions.ts';

export interface AuditLogMaintenance {
  readonly pool: pg.Pool;
  readonly nowMs: number;
  readonly retentionDays: number;
  readonly log: Pick<Logger, 'info'>;
}

/**
 * Makes the audit log's months ahead and drops those whose every entry is older than the retention. Any number of
 * nodes may do it at once, and as often as they like.
 */
export async function maintainAuditLog({
  pool,
  nowMs,
  retentionDays,
  log,
}: AuditLogMaintenance): Promise<void> {
  const made = await ensurePartitions(pool, nowMs);
  if (made.length > 0) log.info(`made the audit log's partitions ${made.join(', ')}`);
  const dropped = await dropExpiredPartitions(pool, nowMs, retentionDays);
  if (dropped.length > 0) log.info(`dropped ${dropped.join(', ')}: older than ${retentionDays} days`);
}
