import { IDEMPOTENCY_LIFETIME_SECONDS } from '@svc/sdk/contract';
import type pg from 'pg';
import { type Chunked, deleteInChunks } from '../database/delete-in-chunks.ts';
import { AUTH_WINDOW_SECONDS, SIGN_IN_WINDOW_SECONDS } from './limits.ts';

const OVER = 'expires_at <= now()';
const USELESS: readonly Chunked[] = [
  { table: 'sessions', key: 'id', where: OVER },
  { table: 'verifications', key: 'id', where: OVER },
  { table: 'sign_in_attempts', key: 'bucket', where: 'ends_at <= now()' },
  { table: 'one_time_links', key: 'token_hash', where: OVER },
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

/** Removes what sign-in has no use for any more; returns the number of rows. For a job. */
export async function deleteExpiredSignIns(pool: pg.Pool, signal?: AbortSignal): Promise<number> {
  let deleted = 0;
  for (const useless of USELESS) deleted += await deleteInChunks(pool, useless, signal);
  return deleted;
}
