import type { BatchProgress } from './collection/progress.ts';
import type { ErrorCode } from './contract/index.ts';

export type { ErrorCode } from './contract/index.ts';

/** The request of a call that failed. */
export interface FailedRequest {
  readonly method: string;
  /** The path from `/v1` on, with the query string. */
  readonly path: string;
}

/**
 * The base class of every error that this package throws. Each error code of the service has its own subclass of
 * {@link SvcApiError}, so a program can distinguish failures by `instanceof`. The only exception: an aborted call
 * throws the reason of its signal.
 */
export class SvcError extends Error {
  /** Set by calls that send batches, such as `createMany`: which records are written, which may be, and how to continue. */
  declare progress?: BatchProgress;
  /** Method and path of the request that failed. Absent if the failure has no request, such as a wrong option. */
  declare request?: FailedRequest;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SvcError';
  }

  /** Number of records that `createMany` or `createBatches` created for certain before it failed. */
  get created(): number {
    return this.progress?.created ?? 0;
  }
}

/** The service could not be reached, or the connection broke. The request may or may not have arrived. */
export class SvcNetworkError extends SvcError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SvcNetworkError';
  }
}

/** No complete response within `timeoutMs`. The service may or may not have processed the request. */
export class SvcTimeoutError extends SvcError {
  readonly timeoutMs: number;
  constructor(timeoutMs: number) {
    super(`No response within ${timeoutMs} ms.`);
    this.name = 'SvcTimeoutError';
    this.timeoutMs = timeoutMs;
  }
}

/** The function `apiKey` failed, or returned no API key. The attempt was not carried out; an earlier one may have been. */
export class SvcKeyError extends SvcError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SvcKeyError';
  }
}

/**
 * The cursor of an iteration or a tail expired, and its position cannot be found again: the records there were
 * deleted.
 */
export class SvcPositionLostError extends SvcError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SvcPositionLostError';
  }
}

/** Why a request is not a valid webhook. */
export type WebhookErrorCode =
  | 'missing_header'
  | 'invalid_header'
  | 'too_old'
  | 'too_new'
  | 'wrong_signature'
  | 'invalid_body';

/** A request is not a valid webhook of the service. Respond with 400 and do not use its body. */
export class SvcWebhookError extends SvcError {
  readonly code: WebhookErrorCode;
  constructor(code: WebhookErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SvcWebhookError';
    this.code = code;
  }
}

/** The parts of an error response. */
export interface Failure {
  /** The code of the error envelope; `unknown` if the response had none, for example because a proxy sent it. */
  readonly code: string;
  readonly status: number;
  readonly message: string;
  /** Identifies the request. Include it when you contact the operator of the service. */
  readonly requestId: string | undefined;
  /** The value of `Retry-After` in milliseconds; undefined if the response had none. */
  readonly retryAfterMs: number | undefined;
  /**
   * The headers of the response.
   * @default none
   */
  readonly headers?: ResponseHeaders;
  /**
   * The body of the response: parsed if it is JSON, text otherwise.
   * @default undefined
   */
  readonly body?: unknown;
}

/** The headers of a response. */
export interface ResponseHeaders {
  get(name: string): string | null;
}

const NO_HEADERS: ResponseHeaders = { get: () => null };

/** The service responded with an error. Printed or serialized, it shows neither the headers nor the body. */
export class SvcApiError extends SvcError {
  readonly #headers: ResponseHeaders;
  readonly #body: unknown;
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
    this.#headers = failure.headers ?? NO_HEADERS;
    this.#body = failure.body;
  }

  /** The headers of the response. */
  get headers(): ResponseHeaders {
    return this.#headers;
  }

  /**
   * The body of the response: parsed if it is JSON, text otherwise, such as the HTML of a proxy. Of a body of more than
   * 10,000 characters, only the first 10,000, as text. Undefined if there was none.
   */
  get body(): unknown {
    return this.#body;
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
export class SvcNetworkNotAllowedError extends SvcApiError {}
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
export class SvcPositionExpiredError extends SvcApiError {}
export class SvcIdempotencyMismatchError extends SvcApiError {}
export class SvcQuotaExceededError extends SvcApiError {}
export class SvcRateLimitedError extends SvcApiError {}
export class SvcHeadersTooLargeError extends SvcApiError {}
export class SvcInternalError extends SvcApiError {}
export class SvcUnavailableError extends SvcApiError {}

/** The class of each error code of the contract. */
export const ERROR_CLASSES = {
  invalid_parameter: SvcInvalidParameterError,
  invalid_cursor: SvcInvalidCursorError,
  cursor_mismatch: SvcCursorMismatchError,
  cursor_expired: SvcCursorExpiredError,
  invalid_body: SvcInvalidBodyError,
  invalid_request: SvcInvalidRequestError,
  invalid_key: SvcInvalidKeyError,
  insufficient_scope: SvcInsufficientScopeError,
  network_not_allowed: SvcNetworkNotAllowedError,
  not_found: SvcNotFoundError,
  method_not_allowed: SvcMethodNotAllowedError,
  request_timeout: SvcRequestTimeoutError,
  conflict: SvcConflictError,
  invalid_transition: SvcInvalidTransitionError,
  idempotency_in_progress: SvcIdempotencyInProgressError,
  position_expired: SvcPositionExpiredError,
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
} as const satisfies Readonly<Record<ErrorCode, typeof SvcApiError>>;

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(ERROR_CLASSES, code);

/** Creates the error for a code. For a code that this version does not know, it is a plain {@link SvcApiError}. */
export const apiError = (failure: Failure): SvcApiError =>
  new (isKnown(failure.code) ? ERROR_CLASSES[failure.code] : SvcApiError)(failure);

/** `not_found` → `SvcNotFoundError`. Does not use the name of the class, which minifiers change. */
function className(code: string): string {
  if (!isKnown(code)) return 'SvcApiError';
  const words = code.split('_').map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return `Svc${words.join('').replace(/Error$/, '')}Error`;
}
