import type { FastifyReply, FastifyRequest } from 'fastify';
import { isNamed } from './etag.ts';

/** A content, ready to be sent in each encoding that there is. */
export interface Compressed {
  readonly identity: Buffer;
  readonly br?: Buffer;
  readonly gzip?: Buffer;
}

type Encoding = keyof Compressed;
/** The smaller one first. */
const ENCODINGS = ['br', 'gzip'] as const satisfies readonly Encoding[];

const EVERY: readonly Encoding[] = ['br', 'gzip', 'identity'];

/** The best of the encodings that there are which an Accept-Encoding header allows (RFC 9110, 12.5.3). */
export function encodingOf(header: string | undefined, there = EVERY): Encoding {
  const accepted = (header ?? '').split(',').flatMap((part) => {
    const [name = '', ...parameters] = part.toLowerCase().split(';');
    return parameters.some((parameter) => /^\s*q=0(?:\.0*)?\s*$/.test(parameter)) ? [] : [name.trim()];
  });
  return ENCODINGS.find((name) => there.includes(name) && accepted.includes(name)) ?? 'identity';
}

export interface Sent {
  readonly type: string;
  readonly cacheControl: string;
  readonly body: Compressed;
  /** A weak one: it stands for the content in every encoding. */
  readonly etag?: string;
}

const NOT_MODIFIED = 304;

/** Answers with a content in the best encoding that the request allows; 304 when If-None-Match names its ETag. */
export function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, cacheControl, body, etag }: Sent,
): FastifyReply {
  const there = EVERY.filter((name) => body[name] !== undefined);
  const encoding = encodingOf(request.headers['accept-encoding'], there);
  reply.headers({ vary: 'accept-encoding', 'cache-control': cacheControl });
  if (etag !== undefined) reply.header('etag', etag);
  if (etag !== undefined && isNamed(request.headers['if-none-match'], etag))
    return reply.code(NOT_MODIFIED).send();
  reply.type(type);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.send(body[encoding]);
}
