import type { FastifyInstance } from 'fastify';

/** Bodies are JSON; the second is how RFC 7396 names a merge patch. */
const JSON_TYPES = ['application/json', 'application/merge-patch+json'];

/**
 * Takes bodies of JSON and of no other type. A DELETE has no body; a client that names a type all the same (many do so
 * in every request) is not refused for it.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>(JSON_TYPES, { parseAs: 'string' }, (request, body, done) => {
    if (request.method === 'DELETE' && body === '') return done(null);
    return parse(request, body, done);
  });
}
