import { UNAVAILABLE_RETRY_SECONDS } from '../config/limits.ts';

/** The one table of error codes: HTTP status and what the code means. docs/errors.md is held equal to it by a test. */
export const ERRORS = {
  invalid_parameter: {
    status: 400,
    meaning: 'A query parameter is unknown, repeated or has a value that is not allowed.',
  },
  invalid_cursor: {
    status: 400,
    meaning: 'The cursor is not one that this service issued to this workspace.',
  },
  cursor_mismatch: { status: 400, meaning: 'The cursor was issued for another list, filter set or sort.' },
  cursor_expired: { status: 400, meaning: 'The cursor is older than 24 hours.' },
  invalid_body: {
    status: 400,
    meaning: 'The request body is not valid JSON or breaks the rules of a field.',
  },
  invalid_request: { status: 400, meaning: 'The request is not valid HTTP.' },
  invalid_key: { status: 401, meaning: 'The API key is missing, malformed, unknown or revoked.' },
  not_signed_in: { status: 401, meaning: 'Dashboard only: there is no session; sign in.' },
  insufficient_scope: { status: 403, meaning: 'The key or the dashboard role does not allow this.' },
  not_found: { status: 404, meaning: 'There is no such path or record.' },
  method_not_allowed: {
    status: 405,
    meaning: 'The path exists, but not with this method; see the Allow header.',
  },
  request_timeout: { status: 408, meaning: 'The request did not arrive in time.' },
  conflict: { status: 409, meaning: 'The change collides with the current state.' },
  invalid_transition: { status: 409, meaning: 'The status cannot change in this way.' },
  idempotency_in_progress: { status: 409, meaning: 'A request with this Idempotency-Key is still running.' },
  precondition_failed: { status: 412, meaning: 'The record is not the one that If-Match names.' },
  payload_too_large: { status: 413, meaning: 'The request body is too large.' },
  unsupported_media_type: { status: 415, meaning: 'The body must be application/json.' },
  expectation_failed: { status: 417, meaning: 'The Expect header asks for what cannot be met.' },
  idempotency_mismatch: { status: 422, meaning: 'The Idempotency-Key was used with another body.' },
  quota_exceeded: { status: 429, meaning: "The workspace's live quota of this month is used up." },
  rate_limited: { status: 429, meaning: 'Too many requests at once.' },
  headers_too_large: { status: 431, meaning: 'The request line or the headers are too large.' },
  internal_error: {
    status: 500,
    meaning: 'The service failed; the Request-Id helps its operator to find out why.',
  },
  unavailable: { status: 503, meaning: 'The service cannot answer right now; try again.' },
} as const satisfies Record<string, { readonly status: number; readonly meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;

/**
 * A failure that a client is told of, in the error envelope. The message is for people: it names the field and
 * says what is allowed, and holds nothing from inside.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.status = ERRORS[code].status;
    this.headers = headers;
  }
}

/** A field that breaks its rules. */
export interface FieldFailure {
  /** JSON pointer from the record, such as `/headlineScore`; empty for the record itself. */
  readonly field: string;
  /** What is allowed, such as `must be an integer from 0 to 100`. */
  readonly reason: string;
}

/** A response names at most this many fields. */
export const INVALID_BODY_FAILURES_MAX = 20;

/** The refusal of a body, which names its fields. */
export function invalidBody(failures: readonly FieldFailure[]): ApiError {
  const told = failures
    .slice(0, INVALID_BODY_FAILURES_MAX)
    .map(({ field, reason }) => `${field === '' ? 'The body' : field} ${reason}.`);
  return new ApiError(
    'invalid_body',
    told.length < failures.length ? `${told.join(' ')} And more.` : told.join(' '),
  );
}

export const unavailable = (): ApiError =>
  new ApiError('unavailable', 'The service is temporarily unavailable. Try again shortly.', {
    'retry-after': String(UNAVAILABLE_RETRY_SECONDS),
  });

/** The error envelope (specification, section 2). */
export const errorEnvelope = (code: ErrorCode, message: string): string =>
  JSON.stringify({ error: { code, message } });
