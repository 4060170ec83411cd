import { IDEMPOTENCY_LIFETIME_SECONDS } from '@svc/sdk/contract';
import type pg from 'pg';
import { type Chunked, deleteInChunks } from '../database/delete-in-chunks.ts';
import { AUTH_WINDOW_SECONDS, SIGN_IN_WINDOW_SECONDS } from './limits.ts';

const EXPIRED = 'expires_at <= now()';
const EXPIRING: readonly Chunked[] = [
  { table: 'sessions', key: 'id', where: EXPIRED },
  { table: 'verifications', key: 'id', where: EXPIRED },
  { table: 'sign_in_attempts', key: 'bucket', where: 'ends_at <= now()' },
  { table: 'one_time_links', key: 'token_hash', where: EXPIRED },
  {
    table: 'dashboard_idempotency_keys',
    key: 'user_id, idempotency_key',
    where: `created_at < now() - $1 * interval '1 second'`,
    values: [IDEMPOTENCY_LIFETIME_SECONDS],
  },
  {
    table: 'rate_limits',
    key: 'id',
    where: 'last_request < (extract(epoch from now()) - $1) * 1000',
    values: [Math.max(AUTH_WINDOW_SECONDS, SIGN_IN_WINDOW_SECONDS)],
  },
];

/** Deletes expired rows of sign-in; returns their number. */
export async function deleteExpiredSignIns(pool: pg.Pool, signal?: AbortSignal): Promise<number> {
  let deleted = 0;
  for (const chunk of EXPIRING) deleted += await deleteInChunks(pool, chunk, signal);
  return deleted;
}
