import type { BatchProgress } from './collection/progress.ts';

/**
 * What this package throws. Each code of the service's error table has a class of its own, so that a program can tell
 * failures apart by `instanceof`; all are {@link SvcApiError}, and all that this package throws is {@link SvcError}
 * (an aborted call throws the signal's own reason).
 */
export class SvcError extends Error {
  /** Of `createMany` and `createBatches`: what was created, what may have been, and how to go on. */
  declare progress?: BatchProgress;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SvcError';
  }

  /** Records that `createMany` or `createBatches` created for certain before it failed. */
  get created(): number {
    return this.progress?.created ?? 0;
  }
}

/** The service could not be reached, or the connection broke: the request may or may not have arrived. */
export class SvcNetworkError extends SvcError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SvcNetworkError';
  }
}

/** No whole answer within `timeoutMs`: the request may or may not have been carried out. */
export class SvcTimeoutError extends SvcError {
  readonly timeoutMs: number;
  constructor(timeoutMs: number) {
    super(`No answer within ${timeoutMs} ms.`);
    this.name = 'SvcTimeoutError';
    this.timeoutMs = timeoutMs;
  }
}

/** A walk or tail whose cursor expired and whose place cannot be found again: the records around it are gone. */
export class SvcPositionLostError extends SvcError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SvcPositionLostError';
  }
}

/** An answer that is a failure, as its parts. */
export interface Failure {
  /** The code of the error envelope; `unknown` when the answer had none, such as a proxy's. */
  readonly code: string;
  readonly status: number;
  readonly message: string;
  /** Quote it when you ask the service's operator. */
  readonly requestId: string | undefined;
  /** What `Retry-After` said. */
  readonly retryAfterMs: number | undefined;
}

/** The service answered with a failure. */
export class SvcApiError extends SvcError {
  readonly code: string;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = className(failure.code);
    this.code = failure.code;
    this.status = failure.status;
    this.requestId = failure.requestId;
    this.retryAfterMs = failure.retryAfterMs;
  }
}

export class SvcInvalidParameterError extends SvcApiError {}
export class SvcInvalidCursorError extends SvcApiError {}
export class SvcCursorMismatchError extends SvcApiError {}
export class SvcCursorExpiredError extends SvcApiError {}
export class SvcInvalidBodyError extends SvcApiError {}
export class SvcInvalidRequestError extends SvcApiError {}
export class SvcInvalidKeyError extends SvcApiError {}
export class SvcInsufficientScopeError extends SvcApiError {}
export class SvcNotFoundError extends SvcApiError {}
export class SvcMethodNotAllowedError extends SvcApiError {}
export class SvcRequestTimeoutError extends SvcApiError {}
export class SvcConflictError extends SvcApiError {}
export class SvcInvalidTransitionError extends SvcApiError {}
export class SvcIdempotencyInProgressError extends SvcApiError {}
export class SvcPreconditionFailedError extends SvcApiError {}
export class SvcPayloadTooLargeError extends SvcApiError {}
export class SvcUnsupportedMediaTypeError extends SvcApiError {}
export class SvcExpectationFailedError extends SvcApiError {}
export class SvcIdempotencyMismatchError extends SvcApiError {}
export class SvcQuotaExceededError extends SvcApiError {}
export class SvcRateLimitedError extends SvcApiError {}
export class SvcHeadersTooLargeError extends SvcApiError {}
export class SvcInternalError extends SvcApiError {}
export class SvcUnavailableError extends SvcApiError {}

/** Every code that a client can meet, and its class; a test holds it equal to the service's error table. */
export const ERROR_CLASSES = {
  invalid_parameter: SvcInvalidParameterError,
  invalid_cursor: SvcInvalidCursorError,
  cursor_mismatch: SvcCursorMismatchError,
  cursor_expired: SvcCursorExpiredError,
  invalid_body: SvcInvalidBodyError,
  invalid_request: SvcInvalidRequestError,
  invalid_key: SvcInvalidKeyError,
  insufficient_scope: SvcInsufficientScopeError,
  not_found: SvcNotFoundError,
  method_not_allowed: SvcMethodNotAllowedError,
  request_timeout: SvcRequestTimeoutError,
  conflict: SvcConflictError,
  invalid_transition: SvcInvalidTransitionError,
  idempotency_in_progress: SvcIdempotencyInProgressError,
  precondition_failed: SvcPreconditionFailedError,
  payload_too_large: SvcPayloadTooLargeError,
  unsupported_media_type: SvcUnsupportedMediaTypeError,
  expectation_failed: SvcExpectationFailedError,
  idempotency_mismatch: SvcIdempotencyMismatchError,
  quota_exceeded: SvcQuotaExceededError,
  rate_limited: SvcRateLimitedError,
  headers_too_large: SvcHeadersTooLargeError,
  internal_error: SvcInternalError,
  unavailable: SvcUnavailableError,
} as const satisfies Readonly<Record<string, typeof SvcApiError>>;

export type ErrorCode = keyof typeof ERROR_CLASSES;

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(ERROR_CLASSES, code);

/** The error of a failure's code; a code that this version does not know is a plain {@link SvcApiError}. */
export const apiError = (failure: Failure): SvcApiError =>
  new (isKnown(failure.code) ? ERROR_CLASSES[failure.code] : SvcApiError)(failure);

/** `not_found` → `SvcNotFoundError`; minified code keeps it. */
function className(code: string): string {
  if (!isKnown(code)) return 'SvcApiError';
  const words = code.split('_').map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return `Svc${words.join('').replace(/Error$/, '')}Error`;
}
