import type { FastifyInstance } from 'fastify';
import { ApiError } from './errors.ts';
import { jsonText } from './utf8-json.ts';

const JSON_TYPE = 'application/json';
/** How RFC 7396 names the body of a PATCH; nothing else is patched. */
const MERGE_PATCH_TYPE = 'application/merge-patch+json';

/**
 * Takes bodies of JSON and of no other type. A DELETE has no body; a client that names a type all the same (many do so
 * in every request) is not refused for it.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    [JSON_TYPE, MERGE_PATCH_TYPE],
    { parseAs: 'buffer' },
    (request, body, done) => {
      const { method, headers } = request;
      if (method === 'DELETE' && body.length === 0) return done(null);
      if (method !== 'PATCH' && isMergePatch(headers['content-type'])) {
        return done(new ApiError('unsupported_media_type', `The body must be ${JSON_TYPE}.`));
      }
      if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
        return done(new ApiError('unsupported_media_type', 'The body must have no Content-Encoding.'));
      }
      return parse(request, jsonText(headers['content-type'], body), done);
    },
  );
}

const isMergePatch = (type = ''): boolean => type.trim().toLowerCase().startsWith(MERGE_PATCH_TYPE);
