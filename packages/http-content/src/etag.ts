import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** 162 bits, so that no two bodies get the same tag by chance. */
const ETAG_CHARACTERS = 27;

/** A tag for content whose bytes are always the same (RFC 9110, 8.8.3). */
export const strongEtag = (content: string | Buffer): string =>
  `"${hash('sha256', content, 'base64url').slice(0, ETAG_CHARACTERS)}"`;

/** A tag for content whose bytes may differ while its meaning is the same. */
export const weakEtag = (content: string): string => `W/${strongEtag(content)}`;

/**
 * Sends 304 without a body if If-None-Match names the ETag (RFC 9110, weak comparison). Otherwise returns the body, JSON
 * text, which the handler returns to Fastify: that costs less than `send`. Only the client may store the response, not a
 * shared cache, and it must revalidate the response before each use.
 */
export function sendConditional(
  request: FastifyRequest,
  reply: FastifyReply,
  body: () => string,
  etag: string,
): FastifyReply | string {
  reply.header('etag', etag).header('cache-control', 'private, no-cache');
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply.type('application/json; charset=utf-8');
  return body();
}

/** Whether If-None-Match names the ETag, by weak comparison. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((tag) => opaque(tag) === opaque(etag));
}
