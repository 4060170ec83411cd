import type { AnyErrorCode } from '@svc/sdk/contract';
import { BusyError } from '@svc/turns';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isUnavailable } from '../database/errors.ts';
import { ApiError, errorEnvelope, unavailable } from './errors.ts';
import { JSON_UTF8 } from './json-type.ts';
import { NOT_WHOLE } from './protocol-errors.ts';

/** Turns every thrown value into the error envelope. A response contains no internal details. */

/** Errors of Fastify that the client caused. */
const CLIENT_FAILURES: Readonly<Record<string, readonly [AnyErrorCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'The body must be application/json.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The request body is too large.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_body', 'The request body is empty; it must be JSON.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_body', 'The request body is not valid JSON.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The body is not as long as Content-Length says.'],
};

/** The error for the client. Undefined if the failure is a fault of this program. */
export function toApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (isUnavailable(error)) return unavailable();
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    const known = CLIENT_FAILURES[error.code];
    if (known !== undefined) return new ApiError(...known);
    if ('statusCode' in error && error.statusCode === 400)
      return new ApiError('invalid_request', 'The request is not valid.');
  }
  return undefined;
}

/** Why a request is refused, for the metrics: the code of the error, or what is not available. */
export function refusalOf({ code }: ApiError, cause: unknown): string {
  if (code !== 'unavailable') return code;
  return cause instanceof BusyError ? 'busy' : 'database';
}

/** The error for the client. A fault of this program is logged, and the client gets `internal_error`. */
export function failureOf(request: FastifyRequest, error: unknown): ApiError {
  const failure = toApiError(error);
  if (failure !== undefined) return failure;
  request.log.error({ err: error }, 'request failed');
  const message = `Something went wrong. Tell the operator this Request-Id: ${request.id}`;
  return new ApiError('internal_error', message);
}

/** Sends a failure in the error envelope. */
export function sendFailure(
  error: FastifyError | unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  // If the client disconnects while it sends its body, the error looks like a broken connection of this service.
  const gone = request.raw.readableAborted && !(error instanceof ApiError);
  const failure = gone ? NOT_WHOLE : failureOf(request, error);
  if (failure.code === 'unavailable') request.log.warn({ err: error }, 'service unavailable');
  request.refusal = refusalOf(failure, error);
  return reply
    .code(failure.status)
    .headers({ ...failure.headers })
    .type(JSON_UTF8)
    .send(errorEnvelope(failure.code, failure.message));
}
