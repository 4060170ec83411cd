import type { FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';
import { containsToken } from './token-text.ts';

const HTTP_VERSIONS: readonly string[] = ['1.0', '1.1'];

/** `uri-host [ ":" port ]` (RFC 3986, 3.2.2); it may be empty. */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i;
export const isHost = (text: string): boolean => HOST.test(text);

/** Headers that a request may have once: of two, this service and a proxy in front might believe different ones. */
const SINGLE_HEADERS = ['host', 'authorization', 'content-type', 'idempotency-key'] as const;

const invalid = (message: string): ApiError => new ApiError('invalid_request', message);

/** Refuses a request that is ambiguous or not valid HTTP (RFC 9112), or holds a key in its URL, before anything else. */
export function requireShape(request: FastifyRequest): void {
  const { raw, originalUrl } = request;
  if (!HTTP_VERSIONS.includes(raw.httpVersion)) throw invalid('The HTTP version must be 1.0 or 1.1.');
  if (raw.httpVersion === '1.1' && raw.headers.host === undefined)
    throw invalid('The Host header is missing.');
  for (const name of SINGLE_HEADERS) {
    const count = raw.rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === name).length;
    if (count > 1) throw invalid(`The ${name} header must be given once.`);
  }
  if (!isHost(raw.headers.host ?? '')) throw invalid('The Host header is not a host.');
  refuseTokenInUrl(originalUrl);
  if (originalUrl.includes('#')) throw invalid('A request has no fragment: encode "#" as %23.');
}

/** Proxies, histories and logs keep URLs: one that holds a key is refused, whatever the path. */
function refuseTokenInUrl(url: string): void {
  if (!containsToken(url)) return;
  throw new ApiError(
    'invalid_parameter',
    'An API key must never be part of a URL. Send it in the Authorization header, and rotate this one.',
  );
}
