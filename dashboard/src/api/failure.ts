import type { ErrorEnvelope } from '@svc/sdk';
import type { ErrorCode } from '@svc/service/errors';

/** What went wrong with a request: a code of the service, or that nothing of ours has answered. */
export type FailureCode = ErrorCode | 'unreachable';

export interface FailureDetails {
  readonly code: FailureCode;
  readonly message: string;
  /** 0: no answer. */
  readonly status: number;
  /** What an operator finds the request by. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
}

/** The only error that the API client throws, beside the abort of a request that nobody waits for any more. */
export class ApiFailure extends Error {
  readonly code: FailureCode;
  readonly status: number;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor({ code, message, status, requestId, retryAfterSeconds }: FailureDetails) {
    super(message);
    this.name = 'ApiFailure';
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Whether trying again without a change may help. */
  get passing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  /** The field that the service names first in its message about a body or a parameter. */
  get field(): string | null {
    const named = this.code === 'invalid_body' || this.code === 'invalid_parameter';
    return named ? (/^"(\w+)"/.exec(this.message)?.[1] ?? null) : null;
  }
}

export const isFailure = (error: unknown, code: FailureCode): boolean =>
  error instanceof ApiFailure && error.code === code;

/** Any thrown value in words. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'Something went wrong.';

/** An answer that is not a success, as an error. */
export async function failureOf(response: Response): Promise<ApiFailure> {
  const envelope = (await response.json().catch(() => undefined)) as Partial<ErrorEnvelope> | undefined;
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiFailure({
    code: (envelope?.error?.code ?? 'unreachable') as FailureCode,
    message: envelope?.error?.message ?? `The service answered with the status ${response.status}.`,
    status: response.status,
    requestId: response.headers.get('request-id'),
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
  });
}

export const unreachable = (): ApiFailure =>
  new ApiFailure({
    code: 'unreachable',
    message: 'The service cannot be reached. Check the connection and try again.',
    status: 0,
    requestId: null,
    retryAfterSeconds: null,
  });
