import { SvcError } from '../errors.ts';
import type { Answer } from '../http/answer.ts';

/** The ETag that each record came with; forgotten with the record. */
const etags = new WeakMap<object, string>();

/** Takes the record from an answer, and keeps its ETag. */
export function recordOf<T>({ body, headers }: Answer): T {
  const etag = headers.get('etag');
  if (etag !== null && typeof body === 'object' && body !== null) etags.set(body, etag);
  return body as T;
}

/** The ETag of a record that `get`, `create` or `update` has given; undefined for one of a list. */
export const etagOf = (record: object): string | undefined => etags.get(record);

/** The `If-Match` header for an ETag, or for the record as it was read. */
export function ifMatchHeader(ifMatch: string | object | undefined): Readonly<Record<string, string>> {
  if (ifMatch === undefined) return {};
  const etag = typeof ifMatch === 'string' ? ifMatch : etagOf(ifMatch);
  if (etag === undefined || etag === '')
    throw new SvcError('"ifMatch" must be an ETag, or a record that `get`, `create` or `update` has given.');
  return { 'if-match': etag };
}
