import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';

/**
 * Why a provider did not confirm a person.
 *
 * - `busy`: too many sign-ins wait for the provider.
 * - `cancelled`: the person or the provider denied the access.
 * - `misconfigured`: the provider does not accept this client.
 * - `refused`: the provider does not accept the code, or reports another error.
 * - `unavailable`: the provider did not respond in time, or with a server error.
 * - `untrusted`: the response breaks the protocol, such as a wrong issuer, signature or nonce, or is too long.
 */
export type FailureReason = 'busy' | 'cancelled' | 'misconfigured' | 'refused' | 'unavailable' | 'untrusted';

/**
 * A sign-in that the provider did not confirm. It has no `cause`, and its message holds only names of errors: the errors
 * of a library hold responses, which hold tokens.
 */
export class ProviderFailure extends Error {
  readonly reason: FailureReason;
  constructor(reason: FailureReason, detail: string) {
    super(`${reason}: ${detail}`);
    this.name = 'ProviderFailure';
    this.reason = reason;
  }
}

/** Errors of a token endpoint that the operator must mend (RFC 6749, 5.2). */
const CLIENT_ERRORS: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
]);
const UNAUTHORIZED = 401;
const FIRST_SERVER_ERROR = 500;
const ERROR_NAME = /^\w{1,60}$/;
const named = (name: unknown): string =>
  typeof name === 'string' && ERROR_NAME.test(name) ? name : 'an error without a valid name';

/** The failure for an error of openid-client. */
export function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof AuthorizationResponseError) {
    return new ProviderFailure(error.error === 'access_denied' ? 'cancelled' : 'refused', named(error.error));
  }
  if (error instanceof ResponseBodyError) {
    if (error.status >= FIRST_SERVER_ERROR)
      return new ProviderFailure('unavailable', `status ${error.status}`);
    const reason = CLIENT_ERRORS.has(error.error) ? 'misconfigured' : 'refused';
    return new ProviderFailure(reason, named(error.error));
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    return new ProviderFailure('misconfigured', `status ${error.status}`);
  }
  if (error instanceof ClientError) {
    const status = error.cause instanceof Response ? error.cause.status : 0;
    if (status >= FIRST_SERVER_ERROR) return new ProviderFailure('unavailable', `status ${status}`);
    if (isNetworkError(error) || isNetworkError(error.cause)) return unavailable(error);
    return new ProviderFailure('untrusted', named(error.code));
  }
  return isNetworkError(error)
    ? unavailable(error)
    : new ProviderFailure('untrusted', named(Object(error).name));
}

/** Whether the token endpoint says that the client did not identify itself. To Basic it may answer with a challenge. */
export function isClientRefused(error: unknown): boolean {
  if (error instanceof ResponseBodyError) return error.error === 'invalid_client';
  return error instanceof WWWAuthenticateChallengeError && error.status === UNAUTHORIZED;
}

/** A timeout, or an error of `fetch`, which is a TypeError whose cause is that of the connection. */
function isNetworkError(error: unknown): boolean {
  if (error instanceof ClientError) return error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_ABORT';
  if (error instanceof TypeError) return error.cause !== undefined;
  return error instanceof DOMException && (error.name === 'TimeoutError' || error.name === 'AbortError');
}

function unavailable(error: unknown): ProviderFailure {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  return new ProviderFailure('unavailable', named(code ?? cause?.code));
}
