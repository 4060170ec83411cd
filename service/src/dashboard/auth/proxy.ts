import type { AnyErrorCode } from '@svc/sdk/contract';
import { APIError } from 'better-auth/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../http/errors.ts';
import { JSON_UTF8 } from '../../http/json-type.ts';
import { anonymous, authHeaders, setCookies } from '../requests/session.ts';
import { AUTH_PATH, type DashboardAuth } from './index.ts';

/** Sends a request of a person to a path of better-auth. With a body it is a POST. */
export function forward(
  auth: DashboardAuth,
  request: FastifyRequest,
  path: string,
  body?: object,
): Promise<Response> {
  const headers = authHeaders(request);
  const origin = auth.options.baseURL;
  // requests/same-site.ts has checked the origin. better-auth requires the header even from programs, which send none.
  headers.set('origin', origin);
  if (body !== undefined) headers.set('content-type', 'application/json');
  const forwarded = new Request(`${origin}${AUTH_PATH}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  return auth.database.run(anonymous(request), () => auth.handler(forwarded));
}

interface ReplyExtras {
  /** Set after the cookies of better-auth. */
  readonly cookies?: readonly string[];
  /** Called with better-auth's code for a refusal. */
  readonly onRefused?: (code: string) => void;
}

/** Sends a response of better-auth. Throws our error for its error. */
export async function sendResponse(
  reply: FastifyReply,
  response: Response,
  { cookies = [], onRefused }: ReplyExtras = {},
): Promise<FastifyReply> {
  setCookies(reply, [...response.headers.getSetCookie(), ...cookies]);
  if (response.ok) {
    return reply.type(JSON_UTF8).send(withoutTokens(await response.text()));
  }
  const body = await errorBody(response);
  if (typeof body.code === 'string') onRefused?.(body.code);
  const failure = authFailure(response.status, body, response.headers.get('x-retry-after'));
  throw failure ?? new Error(`better-auth responded with the status ${response.status}`);
}

/**
 * Removes the tokens of sessions, at any depth. Scripts cannot read the session cookie, so no body may hold its token.
 * Clients use the `id` of a session instead.
 */
const withoutTokens = (json: string): string =>
  JSON.stringify(JSON.parse(json, (key, value: unknown) => (key === 'token' ? undefined : value)));

interface ErrorBody {
  readonly code?: unknown;
  readonly message?: unknown;
}

/** The body of an error of better-auth. The response can still be read after this. */
export async function errorBody(response: Response): Promise<ErrorBody> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return typeof body === 'object' && body !== null ? body : {};
}

/** Calls a function of better-auth and converts its errors to ours. */
export async function mapAuthError<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof APIError) throw authFailure(error.statusCode, error.body ?? {}) ?? error;
    throw error;
  }
}

/** better-auth's codes that say more than their status. */
const CODES: Readonly<Record<string, AnyErrorCode>> = {
  MEMBER_NOT_FOUND: 'not_found',
  INVITATION_NOT_FOUND: 'not_found',
  ORGANIZATION_NOT_FOUND: 'not_found',
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'conflict',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER: 'conflict',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER: 'conflict',
  INVITATION_LIMIT_REACHED: 'conflict',
  INVALID_CODE: 'invalid_body',
  INVALID_BACKUP_CODE: 'invalid_body',
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'not_signed_in',
};

const STATUSES: Readonly<Record<number, AnyErrorCode>> = {
  400: 'invalid_body',
  401: 'not_signed_in',
  403: 'insufficient_scope',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'invalid_body',
  429: 'rate_limited',
};

/** Our messages for those of better-auth that speak of organizations or are vague. */
const MESSAGES: Readonly<Record<string, string>> = {
  MEMBER_NOT_FOUND: 'There is no such member.',
  INVITATION_NOT_FOUND: 'There is no such invitation.',
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'This person is already a member of the workspace.',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER:
    'The last owner of a workspace cannot leave or be removed. Make another member an owner first.',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER:
    'The last owner of a workspace must stay an owner. Make another member an owner first.',
  YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER: 'Only an owner can change an owner or make a member an owner.',
  INVALID_PASSWORD: 'The password is wrong.',
  INVALID_CODE: '"code" is wrong. Codes change every 30 seconds. Enter the one that is shown now.',
  INVALID_BACKUP_CODE: '"code" is not an unused backup code. Each code works once.',
  INVALID_TWO_FACTOR_COOKIE: 'This sign-in has expired. Start again with the password.',
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'Too many wrong codes. Start again with the password.',
  ACCOUNT_TEMPORARILY_LOCKED: 'Too many wrong codes. Wait 15 minutes, then try again.',
  YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE: 'Only an owner can invite an owner.',
};

/** Our error for an error of better-auth. Undefined if better-auth or the database has failed. */
function authFailure(status: number, body: ErrorBody, retryAfterSeconds?: string | null) {
  const name = typeof body.code === 'string' ? body.code : '';
  const code = CODES[name] ?? STATUSES[status];
  if (code === undefined) return undefined;
  const own = typeof body.message === 'string' && body.message !== '' ? body.message : 'This is not allowed.';
  const message = MESSAGES[name] ?? (/[.!?]$/.test(own) ? own : `${own}.`);
  const headers = code === 'rate_limited' ? { 'retry-after': retryAfterSeconds ?? '1' } : {};
  return new ApiError(code, message, headers);
}
