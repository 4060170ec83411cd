import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Answers JSON text with an ETag: 304 without a body when If-None-Match names it (RFC 9110, weak comparison).
 * It is kept by the client alone, and used only after it has asked again.
 */
export function sendConditional(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string,
  etag: string,
): FastifyReply {
  reply.header('etag', etag).header('cache-control', 'private, no-cache');
  if (isNamed(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(body);
}

/** Whether If-None-Match names the ETag, by weak comparison. */
export function isNamed(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((tag) => opaque(tag) === opaque(etag));
}
