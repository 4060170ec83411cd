import { createCompressor } from '@svc/http-content/compressor';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { COMPRESSING_THREADS_MAX } from '../config/limits.ts';

/** The onSend hook of /v1 that compresses pages of lists, and its type: with a callback, which costs less than a promise. */
type OnSend = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
) => void;

/**
 * Compresses what has a weak ETag, which all encodings share: pages of lists, and selected fields. A single record has a
 * strong one, which `If-Match` needs, so it is sent as it is, and so are all other responses (docs/decisions/0042).
 */
export function compressPages(): OnSend {
  const compress = createCompressor({ threads: COMPRESSING_THREADS_MAX });
  return ({ headers }, reply, payload, done) => {
    const etag = reply.getHeader('etag');
    if (typeof etag !== 'string' || !etag.startsWith('W/')) return done(null, payload);
    reply.header('vary', `${String(reply.getHeader('vary'))}, accept-encoding`);
    const compressed = typeof payload === 'string' ? compress(acceptOf(headers), payload) : undefined;
    const send = (result: Awaited<typeof compressed>): void => {
      if (result !== undefined) reply.header('content-encoding', result.encoding);
      done(null, result?.body ?? payload);
    };
    if (compressed instanceof Promise) void compressed.then(send);
    else send(compressed);
  };
}

const acceptOf = ({ 'accept-encoding': header }: FastifyRequest['headers']): string | undefined =>
  header === undefined ? undefined : String(header);
