import type { AnyErrorCode } from '@svc/sdk/contract';
import { APIError } from 'better-auth/api';
import { ApiError } from '../../http/errors.ts';

/** better-auth's codes whose status says less than our table can. */
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

/** Its sentences that speak of organizations, or of more than one thing. */
const MESSAGES: Readonly<Record<string, string>> = {
  MEMBER_NOT_FOUND: 'There is no such member.',
  INVITATION_NOT_FOUND: 'There is no such invitation.',
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'This person is a member of the workspace already.',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER:
    'The last owner of a workspace can only be removed by another owner, and there is none.',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER:
    'The last owner of a workspace must stay an owner. Make another member an owner first.',
  YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER: 'Only an owner can change an owner or make one.',
  INVALID_PASSWORD: 'The password is not right.',
  INVALID_CODE: '"code" is not right. Codes change every 30 seconds: enter the one that is shown now.',
  INVALID_BACKUP_CODE: '"code" is not one of the backup codes that are left. Each works once.',
  INVALID_TWO_FACTOR_COOKIE: 'This sign-in has expired. Start again with the password.',
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'Too many wrong codes. Start again with the password.',
  ACCOUNT_TEMPORARILY_LOCKED: 'Too many wrong codes. Wait a quarter of an hour, then try again.',
  YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE: 'Only an owner can invite an owner.',
};

/** A failure of better-auth as one of ours; undefined when it is better-auth's or the database's own fault. */
export function authFailure(
  status: number,
  body: { readonly code?: unknown; readonly message?: unknown },
  retryAfterSeconds?: string | null,
): ApiError | undefined {
  const name = typeof body.code === 'string' ? body.code : '';
  const code = CODES[name] ?? STATUSES[status];
  if (code === undefined) return undefined;
  const own = typeof body.message === 'string' && body.message !== '' ? body.message : 'This is not allowed.';
  const message = MESSAGES[name] ?? (/[.!?]$/.test(own) ? own : `${own}.`);
  return new ApiError(
    code,
    message,
    code === 'rate_limited' ? { 'retry-after': retryAfterSeconds ?? '1' } : {},
  );
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
