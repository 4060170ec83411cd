import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { clientAddress } from '@svc/ip-addresses/proxies';
import { containsToken, REQUEST_ID_PATTERN } from '@svc/sdk/contract';
import type { FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** How long the request has waited for changes on purpose. Latencies leave this time out. */
    waitedMs: number;
  }
}

/** The steps of every request before its route: an id, one spelling of its path, and the check that it is valid HTTP. */

const REQUEST_ID = new RegExp(REQUEST_ID_PATTERN);

/** The Request-Id of the response: the client's own if it matches the pattern and contains no token, otherwise a new one. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['request-id'] ?? request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) && !containsEncodedToken(given)
    ? given
    : `req_${randomUUID()}`;
}

/**
 * The path and query of a request target, with one spelling for each path (RFC 3986, 6.2.2): no scheme and host, letters,
 * digits and `-._~` never percent-encoded, hexadecimal digits in capitals. The router, the audit log and idempotency
 * keys all use this spelling, so no request can hide from a filter of the log.
 */
export function canonicalTarget(target: string): string {
  const url = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const [path = ''] = url.split('?', 1);
  return `${canonicalPath(path === '' ? '/' : path)}${url.slice(path.length)}`;
}

/** In a path that cannot be decoded, each percent sign is a character of its own. Such a path gets 404 like any other. */
function canonicalPath(path: string): string {
  if (!path.includes('%')) return path;
  if (!isDecodable(path)) return path.replaceAll('%', '%25');
  return path.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : encoded.toUpperCase();
  });
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

const HTTP_VERSIONS: readonly string[] = ['1.0', '1.1'];

/** `uri-host [ ":" port ]` (RFC 3986, 3.2.2); it may be empty. */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i;
export const isHost = (text: string): boolean => HOST.test(text);

const invalid = (message: string): ApiError => new ApiError('invalid_request', message);

/** Refuses a request that has one of the headers twice. This service and a proxy before it might use different ones. */
function requireOnce(raw: IncomingMessage, ...names: readonly string[]): void {
  for (const name of names) {
    const count = raw.rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === name).length;
    if (count > 1) throw invalid(`The ${name} header must be given once.`);
  }
}

/** Refuses a request that is not valid HTTP (RFC 9112), or whose sender is ambiguous. */
export function requireValidHttp({ raw }: FastifyRequest): void {
  if (!HTTP_VERSIONS.includes(raw.httpVersion)) throw invalid('The HTTP version must be 1.0 or 1.1.');
  if (raw.httpVersion === '1.1' && raw.headers.host === undefined)
    throw invalid('The Host header is missing.');
  requireOnce(raw, 'host', 'authorization');
  if (!isHost(raw.headers.host ?? '')) throw invalid('The Host header is not a host.');
}

/** Refuses a request that is ambiguous, or has an API key in its URL or its Idempotency-Key. */
export function requireValidRequest({ raw, originalUrl }: FastifyRequest): void {
  requireOnce(raw, 'content-type', 'idempotency-key');
  // Proxies, browser histories and logs keep URLs, and the database keeps each Idempotency-Key.
  if (containsEncodedToken(`${originalUrl} ${raw.headers['idempotency-key']}`)) {
    throw new ApiError(
      'invalid_parameter',
      'An API key must never be part of a URL or an Idempotency-Key. Send it only as Authorization, and rotate this one.',
    );
  }
  if (originalUrl.includes('#')) throw invalid('A request has no fragment: encode "#" as %23.');
}

const LOGGED_TEXT_MAX_CHARACTERS = 2048;

/** The origin of a request, as the audit log stores it. */
export interface RequestOrigin {
  readonly requestId: string;
  /** Absent if the proxies send no address. */
  readonly ip?: string;
  /** Null if the client sends none. */
  readonly userAgent: string | null;
}

/** The origin of a request. Removes a token from the user agent. */
export function originOf(request: FastifyRequest): RequestOrigin {
  const ip = clientAddress(request);
  const userAgent = request.headers['user-agent'];
  return {
    requestId: request.id,
    ...(ip === undefined ? {} : { ip }),
    userAgent: userAgent === undefined ? null : withoutToken(userAgent),
  };
}

/** Text of a client for the audit log. Limits its length, and removes the whole text if it contains a token. */
export const withoutToken = (text: string): string =>
  containsEncodedToken(text) ? '[removed: held an API key]' : text.slice(0, LOGGED_TEXT_MAX_CHARACTERS);

/** Several programs may have percent-encoded a text, one after another. */
const DECODING_ROUNDS_MAX = 3;

/** Whether the text contains a token, also if it is percent-encoded up to {@link DECODING_ROUNDS_MAX} times. */
export function containsEncodedToken(text: string): boolean {
  let decoded = text;
  for (let round = 0; round < DECODING_ROUNDS_MAX && decoded.includes('%'); round++) {
    if (containsToken(decoded)) return true;
    decoded = decoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
  return containsToken(decoded);
}
