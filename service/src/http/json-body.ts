import { isUtf8 } from 'node:buffer';
import { jsonExcess } from '@svc/http-content/json-excess';
import { repeatsName } from '@svc/http-content/json-names';
import type { FastifyInstance } from 'fastify';
import { BODY_VALUES_MAX, JSON_DEPTH_MAX } from '../config/limits.ts';
import { ApiError } from './errors.ts';

const JSON_TYPE = 'application/json';
/** The type of a merge patch (RFC 7396), accepted for PATCH only. */
const MERGE_PATCH_TYPE = 'application/merge-patch+json';

/** Accepts only JSON bodies. A DELETE without a body may have a Content-Type, because many clients always send one. */
export function acceptJsonBodies(app: FastifyInstance): void {
  // `__proto__` becomes a field like any other, which the validation refuses by its name.
  const parse = app.getDefaultJsonParser('ignore', 'ignore');
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
      const text = jsonText(headers['content-type'], body);
      return parse(request, text, (error, value) => {
        if (error !== null || !repeatsName(text, value)) return done(error, value);
        return done(new ApiError('invalid_body', 'The request body has a name twice in one object.'));
      });
    },
  );
}

const isMergePatch = (type = ''): boolean => type.trim().toLowerCase().startsWith(MERGE_PATCH_TYPE);

/** The parameter `; charset=utf-8`, in upper or lower case, with or without quotes. */
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;

/**
 * The text of a JSON body. Throws ApiError if it is not UTF-8 (RFC 8259, 8.1), because invalid bytes would be stored as
 * U+FFFD, or if it has too many values or levels (see {@link jsonExcess}).
 */
export function jsonText(contentType: string | undefined, body: Buffer): string {
  const [, charset = 'utf-8'] = CHARSET.exec(contentType ?? '') ?? [];
  if (!/^utf-?8$/i.test(charset)) {
    throw new ApiError('unsupported_media_type', 'The charset of the body must be utf-8.');
  }
  if (!isUtf8(body)) throw new ApiError('invalid_body', 'The request body is not valid UTF-8.');
  const text = body.toString('utf8');
  const excess = jsonExcess(text, { values: BODY_VALUES_MAX, depth: JSON_DEPTH_MAX });
  if (excess !== undefined) throw new ApiError('invalid_body', `The request body ${excess}.`);
  return text;
}
