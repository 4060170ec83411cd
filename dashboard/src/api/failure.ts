import type { ErrorEnvelope } from '@svc/sdk';
import type { AnyErrorCode } from '@svc/sdk/contract';

/** An error code of the service, or `unreachable`: there was no response, or none from the service. */
export type FailureCode = AnyErrorCode | 'unreachable';

export interface FailureDetails {
  readonly code: FailureCode;
  readonly message: string;
  /** HTTP status. 0: there was no response. */
  readonly status: number;
  /** Identifies the request in the log of the service. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  /**
   * Whether the request had the cookie of a session that has ended. The message says why it ended.
   * @default false
   */
  readonly sessionEnded?: boolean;
  /**
   * Whether the request, an import, has written records before it was refused.
   * @default false
   */
  readonly recordsWritten?: boolean;
}

/** The only error that the API client throws, apart from the AbortError of a cancelled request. */
export class ApiFailure extends Error {
  readonly code: FailureCode;
  readonly status: number;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  readonly sessionEnded: boolean;
  readonly recordsWritten: boolean;

  constructor(details: FailureDetails) {
    const { code, message, status, requestId, retryAfterSeconds } = details;
    super(message);
    this.name = 'ApiFailure';
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
    this.sessionEnded = details.sessionEnded ?? false;
    this.recordsWritten = details.recordsWritten ?? false;
  }

  /** Whether the same request can succeed later. */
  get retryable(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  /** The field that an error about a body or a parameter is about; null for other errors. */
  get field(): string | null {
    const named = this.code === 'invalid_body' || this.code === 'invalid_parameter';
    return named ? (/^"(\w+)"/.exec(this.message)?.[1] ?? null) : null;
  }
}

export const isFailure = (error: unknown, code: FailureCode): boolean =>
  error instanceof ApiFailure && error.code === code;

/** The message of any thrown value. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'Something went wrong.';

/** The error of a response without success. */
export async function failureOf(response: Response): Promise<ApiFailure> {
  const envelope = (await response.json().catch(() => undefined)) as Partial<ErrorEnvelope> | undefined;
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiFailure({
    code: (envelope?.error?.code ??
      (response.status === 413 ? 'payload_too_large' : 'unreachable')) as FailureCode,
    message: envelope?.error?.message ?? messageWithout(response.status),
    status: response.status,
    requestId: response.headers.get('request-id'),
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
    sessionEnded: response.headers.has('session-ended'),
    recordsWritten: response.headers.has('records-written'),
  });
}

/** Says what a response without an envelope means. It is from a proxy, not from the service. */
const messageWithout = (status: number): string =>
  status === 413
    ? 'A proxy before the service refuses a request of this size.'
    : `The service responded with status ${status}.`;

const without = (code: FailureCode, status: number, message: string): ApiFailure =>
  new ApiFailure({ code, message, status, requestId: null, retryAfterSeconds: null });

export const unreachable = (): ApiFailure =>
  without('unreachable', 0, 'The service cannot be reached. Check the connection and try again.');

/** With this status, the request is not repeated without the viewer. */
export const tooSlow = (): ApiFailure =>
  without('request_timeout', 408, 'The service did not respond in time. Check the connection and try again.');
