/** Why no complete response came. */
export type FailureReason =
  | 'invalid_url'
  | 'https_required'
  | 'address_refused'
  | 'unresolvable'
  | 'unreachable'
  | 'tls_failed'
  | 'timeout'
  | 'connection_lost'
  | 'invalid_response'
  | 'response_too_large';

/** No complete response came. The message is for the owner of the receiver: it names no address of the own network. */
export class SendFailure extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The code of a system error in parentheses, such as ` (ECONNREFUSED)`; empty if there is none. */
export const codeSuffix = (error: NodeJS.ErrnoException): string =>
  typeof error.code === 'string' && /^[A-Z0-9_]+$/.test(error.code) ? ` (${error.code})` : '';
