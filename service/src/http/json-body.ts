import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { BODY_VALUES_MAX, JSON_DEPTH_MAX } from '../config/limits.ts';
import { ApiError } from './errors.ts';

const JSON_TYPE = 'application/json';
/** The type of a merge patch (RFC 7396), accepted for PATCH only. */
const MERGE_PATCH_TYPE = 'application/merge-patch+json';

/**
 * Accepts only JSON bodies. A DELETE without a body may have a Content-Type, because many clients send one in every
 * request.
 */
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
      return parse(request, jsonText(headers['content-type'], body), done);
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
  const excess = jsonExcess(text, BODY_VALUES_MAX);
  if (excess !== undefined) throw new ApiError('invalid_body', `The request body ${excess}.`);
  return text;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The reason why a JSON text must not be parsed: it has more than `maxValues` values, or too many levels. After parsing,
 * such a text would need up to 60 times its size in memory, and recursive code would overflow the stack. Undefined if the
 * text may be parsed. Does not check whether the text is JSON. Reads each character once.
 */
export function jsonExcess(text: string, maxValues: number): string | undefined {
  // Counts brackets and commas, so an empty array or object counts as two values.
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at + 1);
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        if (++depth > JSON_DEPTH_MAX) return `is nested deeper than ${JSON_DEPTH_MAX} levels`;
        if (++values > maxValues) return tooMany(maxValues);
        break;
      case COMMA:
        if (++values > maxValues) return tooMany(maxValues);
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--;
        break;
    }
  }
  return undefined;
}

const tooMany = (maxValues: number): string => `has more than ${maxValues} values`;

/** The index of the quote that closes the string which starts at `from`. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}
