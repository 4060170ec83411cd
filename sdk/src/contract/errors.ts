/** An error code. */
export interface ErrorContract {
  readonly status: number;
  /** When the service responds with this code. */
  readonly meaning: string;
  /**
   * Whether the same request can succeed later.
   * @default false
   */
  readonly retryable?: true;
  /**
   * Whether only the dashboard gets this code, never a client with an API key.
   * @default false
   */
  readonly dashboardOnly?: true;
}

/**
 * Every error code. The responses of the service, the OpenAPI document and the error classes of the SDK derive from this
 * table. A test compares it with docs/errors.md. Within a version, codes can be added, but not changed or removed.
 */
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
  invalid_key: {
    status: 401,
    meaning: 'The API key is missing, malformed, unknown, revoked, paused or expired.',
  },
  not_signed_in: {
    status: 401,
    meaning: 'Dashboard only: there is no session; sign in.',
    dashboardOnly: true,
  },
  insufficient_scope: { status: 403, meaning: 'The key or the dashboard role does not allow this.' },
  second_factor_required: {
    status: 403,
    meaning: 'Dashboard only: the workspace requires a second factor, and the person has none.',
    dashboardOnly: true,
  },
  network_not_allowed: {
    status: 403,
    meaning: 'The key may not be used from the network of the client.',
  },
  not_found: { status: 404, meaning: 'There is no such path or record.' },
  method_not_allowed: {
    status: 405,
    meaning: 'The path exists, but not with this method; see the Allow header.',
  },
  request_timeout: { status: 408, meaning: 'The request did not arrive in time.', retryable: true },
  conflict: { status: 409, meaning: 'The change conflicts with the current state.' },
  invalid_transition: { status: 409, meaning: 'The status cannot change in this way.' },
  idempotency_in_progress: {
    status: 409,
    meaning: 'A request with this Idempotency-Key is still running.',
    retryable: true,
  },
  person_changed: {
    status: 409,
    meaning: 'Dashboard only: another person has signed in in the browser since the page was loaded.',
    dashboardOnly: true,
  },
  position_expired: {
    status: 410,
    meaning:
      'Changes after the position are no longer stored; read the lists again, and continue at a new position.',
  },
  precondition_failed: { status: 412, meaning: 'The record does not have the ETag in If-Match.' },
  payload_too_large: { status: 413, meaning: 'The request body is too large.' },
  unsupported_media_type: { status: 415, meaning: 'The body must be application/json.' },
  expectation_failed: {
    status: 417,
    meaning: 'The service does not support the Expect header of the request.',
  },
  idempotency_mismatch: { status: 422, meaning: 'The Idempotency-Key was used with another body.' },
  quota_exceeded: {
    status: 429,
    meaning: "The workspace's live quota of this month is used up.",
    retryable: true,
  },
  rate_limited: { status: 429, meaning: 'Too many requests at once.', retryable: true },
  headers_too_large: { status: 431, meaning: 'The request line or the headers are too large.' },
  internal_error: {
    status: 500,
    meaning: 'The service failed; the Request-Id helps its operator to find out why.',
  },
  unavailable: { status: 503, meaning: 'The service cannot respond right now; try again.', retryable: true },
} as const satisfies Readonly<Record<string, ErrorContract>>;

/** Every error code, including those that only the dashboard gets. */
export type AnyErrorCode = keyof typeof ERRORS;

type DashboardOnly<Code extends AnyErrorCode> = Code extends unknown
  ? (typeof ERRORS)[Code] extends { readonly dashboardOnly: true }
    ? Code
    : never
  : never;

/** The error codes that a client with an API key can get. */
export type ErrorCode = Exclude<AnyErrorCode, DashboardOnly<AnyErrorCode>>;

const clientsCanGet = ([, error]: readonly [string, ErrorContract]): boolean => error.dashboardOnly !== true;

/** The error codes that a client with an API key can get, in the order of {@link ERRORS}. */
export const ERROR_CODES = Object.entries(ERRORS)
  .filter(clientsCanGet)
  .map(([code]) => code) as readonly ErrorCode[];
