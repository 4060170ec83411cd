import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { containsToken } from './token-text.ts';

export const REQUEST_ID_PATTERN = '^[A-Za-z0-9_.:-]{1,128}$';
const SANE = new RegExp(REQUEST_ID_PATTERN);

/** The Request-Id of an answer: the caller's own when it is sane (and holds no token), else a new one. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['request-id'] ?? request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) && !containsToken(given)
    ? given
    : `req_${randomUUID()}`;
}
