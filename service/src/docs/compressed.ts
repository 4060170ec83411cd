import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BROTLI_LEVEL } from './limits.ts';

/** A text, ready to be sent in each encoding. */
export interface Compressed {
  readonly br: Buffer;
  readonly gzip: Buffer;
  readonly identity: Buffer;
}

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

export async function compress(text: string): Promise<Compressed> {
  const identity = Buffer.from(text);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  };
  const [br, zipped] = await Promise.all([toBrotli(identity, { params }), toGzip(identity)]);
  return { br, gzip: zipped, identity };
}

/** The best encoding that an Accept-Encoding header allows (RFC 9110, 12.5.3). */
export function encodingOf(header: string | undefined): keyof Compressed {
  const accepted = (header ?? '').split(',').flatMap((part) => {
    const [name = '', ...parameters] = part.toLowerCase().split(';');
    return parameters.some((parameter) => /^\s*q=0(?:\.0*)?\s*$/.test(parameter)) ? [] : [name.trim()];
  });
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding)) ?? 'identity';
}

/** Answers with the text in the encoding that the request asks for. */
export function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    type,
    cacheControl,
    body,
  }: { readonly type: string; readonly cacheControl: string; readonly body: Compressed },
): FastifyReply {
  const encoding = encodingOf(request.headers['accept-encoding']);
  reply.headers({ vary: 'accept-encoding', 'cache-control': cacheControl }).type(type);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.send(body[encoding]);
}
