import { IDEMPOTENCY_LIFETIME_SECONDS } from '@svc/sdk/contract';
import type pg from 'pg';
import { chunkDeletion, deleteInChunks } from '../database/delete-in-chunks.ts';
import type { BoundStatement } from '../database/statement.ts';
import { AUTH_WINDOW_SECONDS, SESSION_LIFETIME_SECONDS, SIGN_IN_WINDOW_SECONDS } from './limits.ts';

const EXPIRED = 'expires_at <= now()';
const EXPIRING: readonly (readonly [deletion: BoundStatement, ...values: unknown[]])[] = [
  [chunkDeletion('sessions', 'id', EXPIRED)],
  [
    chunkDeletion('ended_sessions', 'token_hash', `ended_at < now() - $1 * interval '1 second'`),
    SESSION_LIFETIME_SECONDS,
  ],
  [chunkDeletion('verifications', 'id', EXPIRED)],
  [chunkDeletion('sign_in_attempts', 'bucket', 'ends_at <= now()')],
  [chunkDeletion('one_time_links', 'token_hash', EXPIRED)],
  [
    chunkDeletion(
      'dashboard_idempotency_keys',
      'user_id, idempotency_key',
      `created_at < now() - $1 * interval '1 second'`,
    ),
    IDEMPOTENCY_LIFETIME_SECONDS,
  ],
  [
    chunkDeletion('rate_limits', 'id', 'last_request < (extract(epoch from now()) - $1) * 1000'),
    Math.max(AUTH_WINDOW_SECONDS, SIGN_IN_WINDOW_SECONDS),
  ],
  // The last one, because in a cluster a node of its rows can be away.
  [chunkDeletion('invitations', 'workspace_id, id', EXPIRED)],
];

/** Deletes expired rows of sign-in; returns their number. */
export async function deleteExpiredSignIns(pool: pg.Pool, signal?: AbortSignal): Promise<number> {
  let deleted = 0;
  for (const [deletion, ...values] of EXPIRING)
    deleted += await deleteInChunks(pool, deletion, values, signal);
  return deleted;
}
