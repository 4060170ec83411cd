import { isUtf8 } from 'node:buffer';
import { BODY_VALUES_MAX } from '../config/limits.ts';
import { ApiError } from './errors.ts';
import { excessOf } from './json-excess.ts';

/** `; charset=utf-8`, in any case, with or without quotes. */
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;

/**
 * The text of a JSON body, which is UTF-8 and nothing else (RFC 8259, 8.1): other bytes would be stored as U+FFFD, and
 * another charset would be read as what it is not. Throws the refusal, also of a text that would cost more than its size
 * when it is parsed.
 */
export function jsonText(contentType: string | undefined, body: Buffer): string {
  const [, charset = 'utf-8'] = CHARSET.exec(contentType ?? '') ?? [];
  if (!/^utf-?8$/i.test(charset)) {
    throw new ApiError('unsupported_media_type', 'The charset of the body must be utf-8.');
  }
  if (!isUtf8(body)) throw new ApiError('invalid_body', 'The request body is not valid UTF-8.');
  const text = body.toString('utf8');
  const excess = excessOf(text, BODY_VALUES_MAX);
  if (excess !== undefined) throw new ApiError('invalid_body', `The request body ${excess}.`);
  return text;
}
