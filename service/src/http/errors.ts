import { type AnyErrorCode, ERRORS } from '@svc/sdk/contract';
import { UNAVAILABLE_RETRY_SECONDS } from '../config/limits.ts';

/**
 * A failure that is sent to the client in the error envelope. The message is for people: it names the field and says what
 * is allowed. It contains no internal details.
 */
export class ApiError extends Error {
  readonly code: AnyErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: AnyErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
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

/** The refusal of fields of a body. The message names them. */
export class FieldsError extends ApiError {
  readonly failures: readonly FieldFailure[];
  constructor(code: AnyErrorCode, failures: readonly FieldFailure[]) {
    const sentences = failures
      .slice(0, INVALID_BODY_FAILURES_MAX)
      .map(({ field, reason }) => `${field === '' ? 'The body' : field} ${reason}.`);
    if (sentences.length < failures.length) sentences.push('And more.');
    super(code, sentences.join(' '));
    this.failures = failures;
  }
}

/** The error for a body with invalid fields. */
export const invalidBody = (failures: readonly FieldFailure[]): ApiError =>
  new FieldsError('invalid_body', failures);

/**
 * The error for a part of a body. `pointer` is the JSON pointer of the part, such as `/data/3`, and `fields` that of its
 * record. Default: the same.
 */
export function errorAt(pointer: string, error: ApiError, fields = pointer): ApiError {
  if (!(error instanceof FieldsError))
    return new ApiError(error.code, `${pointer}: ${error.message}`, error.headers);
  const failures = error.failures.map(({ field, reason }) => ({ field: `${fields}${field}`, reason }));
  return new FieldsError(error.code, failures);
}

export const unavailable = (): ApiError =>
  new ApiError('unavailable', 'The service is temporarily unavailable. Try again shortly.', {
    'retry-after': String(UNAVAILABLE_RETRY_SECONDS),
  });

/** The error envelope (specification, section 2). */
export const errorEnvelope = (code: AnyErrorCode, message: string): string =>
  JSON.stringify({ error: { code, message } });
