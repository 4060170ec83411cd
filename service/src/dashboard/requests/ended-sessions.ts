import { createHash } from 'node:crypto';
import type { Queryable } from '@svc/turns/lane';
import type { FastifyRequest } from 'fastify';
import { preparedStatement, statement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';

/** Why a session ended, and what its browser is told. A session that nobody ended has expired. */
const REASONS = {
  signed_out: 'You have signed out.',
  revoked: 'This session was ended from another browser.',
  password_changed: 'Your password was changed, which ended this session.',
  second_factor_changed: 'Your second factor was changed, which ended this session.',
  expired: 'Your session has expired.',
} as const;

export type EndReason = Exclude<keyof typeof REASONS, 'expired'>;

/** The header of a response to an ended session. Its value is the name of the reason. */
const HEADER = 'session-ended';

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

const insertEnded = statement('note_ended_sessions', 'request')`
  insert into ended_sessions (token_hash, reason) select token_hash, $2 from unnest($1::bytea[]) as e (token_hash)
  on conflict (token_hash) do nothing`;

/** Notes why sessions end, in the transaction that ends them. */
export async function noteEnded(
  client: Queryable,
  tokens: readonly string[],
  reason: EndReason,
): Promise<void> {
  if (tokens.length > 0) await client.query(insertEnded(tokens.map(hashOf), reason));
}

const deleteSessions = statement('end_sessions', 'request')`
  delete from sessions where user_id = $1 and token is distinct from $2 returning token`;

/** Ends the person's sessions, and notes why. `kept`: the token of the one that stays. Returns their number. */
export async function endSessions(
  client: Queryable,
  userId: string,
  reason: EndReason,
  kept?: string,
): Promise<number> {
  const { rows } = await client.query<{ token: string }>(deleteSessions(userId, kept ?? null));
  const tokens = rows.map(({ token }) => token);
  await noteEnded(client, tokens, reason);
  return tokens.length;
}

const findSession = preparedStatement('confirm_session', 'request')`
  select 1 from sessions where token = $1 and expires_at > now()`;

/** Throws `not_signed_in` if the session of the request has ended since it began. */
export async function confirmSession(client: Queryable, request: FastifyRequest): Promise<void> {
  const { rowCount } = await client.query(findSession(request.signInCookies.session_token));
  if (rowCount === 0) throw await noSession(client, request);
}

const selectReason = statement('reason_of_end', 'request')`
  select reason from ended_sessions where token_hash = $1`;

/**
 * The error for a request without a session. If its cookie is that of an ended session, it says why the session ended. The
 * service has signed that cookie, so it tells strangers nothing.
 */
export async function noSession(pool: Queryable, { signInCookies }: FastifyRequest): Promise<ApiError> {
  const { session_token: token } = signInCookies;
  if (token === undefined) return notSignedIn();
  const { rows } = await pool.query<{ reason: string }>(selectReason(hashOf(token)));
  const reason = rows[0]?.reason ?? 'expired';
  // A newer node may have noted a reason that this one does not know.
  const text = Object.hasOwn(REASONS, reason) ? REASONS[reason as EndReason] : 'Your session has ended.';
  return new ApiError('not_signed_in', `${text} Sign in again.`, { [HEADER]: reason });
}

export const notSignedIn = (message = 'There is no session. Sign in.'): ApiError =>
  new ApiError('not_signed_in', message);
