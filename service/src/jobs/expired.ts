import { IDEMPOTENCY_LIFETIME_SECONDS } from '@svc/sdk/contract';
import { createAttempts } from '@svc/turns/attempts';
import type pg from 'pg';
import type { Logger } from 'pino';
import { DELIVERY_RETENTION_DAYS, TRAFFIC_RETENTION_DAYS } from '../config/limits.ts';
import { deleteExpiredSignIns } from '../dashboard/expired.ts';
import { chunkDeletion, deleteInChunks } from '../database/delete-in-chunks.ts';
import { attemptsForEach } from '../database/errors.ts';
import { pagesOf } from '../database/pages.ts';
import { type BoundStatement, statement } from '../database/statement.ts';
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

/** Workspaces whose oldest traffic one statement looks up. No index has the hours of all workspaces. */
const WORKSPACES_MAX = 100;
const selectTraffic = statement('oldest_traffic', 'background: a job, which visits all workspaces')`
  select id, coalesce(
    (select min(hour) from traffic t where t.workspace_id = w.id) < now() - $2 * interval '1 day', false) as "hasExpired"
  from workspaces w where id > $1 order by id limit ${WORKSPACES_MAX}`;
const deleteTraffic = chunkDeletion(
  'traffic',
  'workspace_id, hour, mode, bucket',
  `workspace_id = $2 and hour < now() - $1 * interval '1 day'`,
);

async function deleteExpiredTraffic(pool: pg.Pool, signal?: AbortSignal): Promise<number> {
  const attempts = attemptsForEach();
  let deleted = 0;
  const pages = pagesOf<{ id: string; hasExpired: boolean }>(
    WORKSPACES_MAX,
    (last) => pool.query(selectTraffic(last?.id ?? '', TRAFFIC_RETENTION_DAYS)),
    signal,
  );
  for await (const rows of pages) {
    for (const { id } of rows.filter(({ hasExpired }) => hasExpired)) {
      const values = [TRAFFIC_RETENTION_DAYS, id];
      deleted += (await attempts.of(id, () => deleteInChunks(pool, deleteTraffic, values, signal))) ?? 0;
    }
  }
  attempts.end();
  return deleted;
}

/**
 * Removes expired rows: responses stored for repeated requests, ended sessions, unused links, old traffic, old deliveries of
 * webhooks, endpoints that a person has deleted. Code that reads these rows checks their age itself, apart from that of
 * deliveries, so this only keeps the tables small. The signal ends it early. If a part fails, the others run, and the first
 * error is thrown at the end.
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
  const { of: attempt, end } = createAttempts();
  const inChunks = (part: string, deletion: BoundStatement, value: number): Promise<number | undefined> =>
    attempt(part, () => deleteInChunks(pool, deletion, [value], signal));
  const answers = await inChunks('stored responses', deleteAnswers, IDEMPOTENCY_LIFETIME_SECONDS);
  const signIns = await attempt('sign-ins', () => deleteExpiredSignIns(pool, signal));
  const traffic = await attempt('traffic', () => deleteExpiredTraffic(pool, signal));
  const deliveries = await inChunks('deliveries', deleteDeliveries, DELIVERY_RETENTION_DAYS);
  await inChunks('attempts of deliveries', deleteAttempts, DELIVERY_RETENTION_DAYS);
  await attempt('deleted endpoints', () => removeDeletedEndpoints(pool, signal));
  log.info({ answers, signIns, traffic, deliveries }, 'removed expired rows');
  end();
}
