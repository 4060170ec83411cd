import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../http/errors.ts';
import { jsonText } from '../../http/utf8-json.ts';

/** The escape of U+0000, which PostgreSQL's text cannot hold, behind an even number of backslashes. */
const NUL = /(?<!\\)(?:\\\\)*\\u0000/;

/** Bodies of the scope are JSON; none at all is allowed where no field is required. */
export function parseJsonBodies(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error');
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null);
    const text = jsonText(request.headers['content-type'], body);
    if (NUL.test(text)) {
      return done(new ApiError('invalid_body', 'The request body must not hold the character U+0000.'));
    }
    return parse(request, text, done);
  });
}
