import { SvcError } from '../errors.ts';
import type { Answer } from '../http/answer.ts';

/** The ETag of each record. The WeakMap does not keep the records alive. */
const etags = new WeakMap<object, string>();

/** Returns the record of a response and remembers its ETag. */
export function recordOf<T>({ body, headers }: Answer): T {
  const etag = headers.get('etag');
  if (etag !== null && typeof body === 'object' && body !== null) etags.set(body, etag);
  return body as T;
}

/**
 * Returns the ETag of a record from `get`, `create` or `update`; undefined for any other object, such as a record of
 * a list.
 */
export const etagOf = (record: object): string | undefined => etags.get(record);

/** The `If-Match` header for an ETag or for a record that has one. Throws {@link SvcError} if there is no ETag. */
export function ifMatchHeader(ifMatch: string | object | undefined): Readonly<Record<string, string>> {
  if (ifMatch === undefined) return {};
  const etag = typeof ifMatch === 'string' ? ifMatch : etagOf(ifMatch);
  if (etag === undefined || etag === '')
    throw new SvcError('"ifMatch" must be an ETag or a record from `get`, `create` or `update`.');
  return { 'if-match': etag };
}
