import type { FastifyRequest } from 'fastify';
import { clientAddress } from './client-address.ts';
import { containsToken } from './token-text.ts';

const TEXT_MAX_CHARACTERS = 2048;

/** Where a request comes from, as the audit log keeps it. */
export interface RequestOrigin {
  readonly requestId: string;
  /** Absent when the proxies give no address. */
  readonly ip?: string;
  /** Null when the client sends none. */
  readonly userAgent: string | null;
}

export function originOf(request: FastifyRequest): RequestOrigin {
  const ip = clientAddress(request);
  const userAgent = request.headers['user-agent'];
  return {
    requestId: request.id,
    ...(ip === undefined ? {} : { ip }),
    userAgent: userAgent === undefined ? null : harmless(userAgent),
  };
}

/** What a client may write into the log: bounded, and never a token. */
export const harmless = (text: string): string =>
  containsToken(text) ? '[removed: held an API key]' : text.slice(0, TEXT_MAX_CHARACTERS);
