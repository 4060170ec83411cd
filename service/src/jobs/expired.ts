import { IDEMPOTENCY_LIFETIME_SECONDS } from '@svc/sdk/contract';
import type pg from 'pg';
import type { Logger } from 'pino';
import { DELIVERY_RETENTION_DAYS, TRAFFIC_RETENTION_DAYS } from '../config/limits.ts';
import { deleteExpiredSignIns } from '../dashboard/expired.ts';
import { chunkDeletion, deleteInChunks } from '../database/delete-in-chunks.ts';
import { removeDeletedEndpoints } from '../webhooks/deleted.ts';

const deleteAnswers = chunkDeletion(
  'idempotent_answers',
  'workspace_id, idempotency_key',
  `created_at < now() - $1 * interval '1 second'`,
);
const deleteDeliveries = chunkDeletion(
  'webhook_deliveries',
  'workspace_id, endpoint_id, event_id',
  `attempted_at < now() - $1 * interval '1 day' and state <> 'pending'`,
);
const deleteAttempts = chunkDeletion(
  'webhook_attempts',
  'workspace_id, endpoint_id, hour, bucket',
  `hour < now() - $1 * interval '1 day' - interval '1 hour'`,
);
const deleteTraffic = chunkDeletion(
  'traffic',
  'workspace_id, hour, mode, bucket',
  `hour < now() - $1 * interval '1 day'`,
);

/**
 * Removes expired rows: responses stored for repeated requests, ended sessions, unused links, old traffic, old deliveries of
 * webhooks, endpoints that a person has deleted. Code that reads these rows checks their age itself, apart from that of
 * deliveries, so this only keeps the tables small. The signal ends it early.
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
  const answers = await deleteInChunks(pool, deleteAnswers, [IDEMPOTENCY_LIFETIME_SECONDS], signal);
  const signIns = await deleteExpiredSignIns(pool, signal);
  const traffic = await deleteInChunks(pool, deleteTraffic, [TRAFFIC_RETENTION_DAYS], signal);
  const deliveries = await deleteInChunks(pool, deleteDeliveries, [DELIVERY_RETENTION_DAYS], signal);
  await deleteInChunks(pool, deleteAttempts, [DELIVERY_RETENTION_DAYS], signal);
  await removeDeletedEndpoints(pool, signal);
  log.info({ answers, signIns, traffic, deliveries }, 'removed expired rows');
}
