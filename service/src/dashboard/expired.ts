import { IDEMPOTENCY_LIFETIME_SECONDS } from '@svc/sdk/contract';
import { createAttempts } from '@svc/turns/attempts';
import type pg from 'pg';
import { chunkDeletion, deleteInChunks } from '../database/delete-in-chunks.ts';
import { AUTH_WINDOW_SECONDS, SESSION_LIFETIME_SECONDS, SIGN_IN_WINDOW_SECONDS } from './limits.ts';

const EXPIRED = 'expires_at <= now()';
const part = (table: string, key: string, where: string, ...values: readonly unknown[]) => ({
  table,
  values,
  deletion: chunkDeletion(table, key, where),
});
const EXPIRING = [
  part('sessions', 'id', EXPIRED),
  part(
    'ended_sessions',
    'token_hash',
    `ended_at < now() - $1 * interval '1 second'`,
    SESSION_LIFETIME_SECONDS,
  ),
  part('verifications', 'id', EXPIRED),
  part('sign_in_attempts', 'bucket', 'ends_at <= now()'),
  part('one_time_links', 'token_hash', EXPIRED),
  part(
    'dashboard_idempotency_keys',
    'user_id, idempotency_key',
    `created_at < now() - $1 * interval '1 second'`,
    IDEMPOTENCY_LIFETIME_SECONDS,
  ),
  part(
    'rate_limits',
    'id',
    'last_request < (extract(epoch from now()) - $1) * 1000',
    Math.max(AUTH_WINDOW_SECONDS, SIGN_IN_WINDOW_SECONDS),
  ),
  part('invitations', 'workspace_id, id', EXPIRED),
];

/** Deletes expired rows of sign-in; returns their number. If a part fails, it deletes the others, and throws at the end. */
export async function deleteExpiredSignIns(pool: pg.Pool, signal?: AbortSignal): Promise<number> {
  const attempts = createAttempts();
  let deleted = 0;
  for (const { table, deletion, values } of EXPIRING)
    deleted += (await attempts.of(table, () => deleteInChunks(pool, deletion, values, signal))) ?? 0;
  attempts.end();
  return deleted;
}
