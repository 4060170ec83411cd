import type { FastifyReply, FastifyRequest } from 'fastify';

/** A content, ready to be sent in each encoding that there is. */
export interface Compressed {
  readonly identity: Buffer;
  readonly br?: Buffer;
  readonly gzip?: Buffer;
}

type Encoding = keyof Compressed;
/** The smaller one first. */
const ENCODINGS = ['br', 'gzip'] as const satisfies readonly Encoding[];

/** The encodings that an Accept-Encoding header allows (RFC 9110, 12.5.3). */
function accepted(header: string | undefined): readonly string[] {
  return (header ?? '').split(',').flatMap((part) => {
    const [name = '', ...parameters] = part.toLowerCase().split(';');
    return parameters.some((parameter) => /^\s*q=0(?:\.0*)?\s*$/.test(parameter)) ? [] : [name.trim()];
  });
}

export interface Sent {
  readonly type: string;
  readonly cacheControl: string;
  readonly body: Compressed;
}

/** Answers with a content in the best encoding that the request allows. */
export function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, cacheControl, body }: Sent,
): FastifyReply {
  const allowed = accepted(request.headers['accept-encoding']);
  const encoding = ENCODINGS.find((name) => body[name] !== undefined && allowed.includes(name));
  reply.headers({ vary: 'accept-encoding', 'cache-control': cacheControl }).type(type);
  if (encoding === undefined) return reply.send(body.identity);
  return reply.header('content-encoding', encoding).send(body[encoding]);
}
