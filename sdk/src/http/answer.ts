import { apiError, type ResponseHeaders, SvcError } from '../errors.ts';
import type { ErrorEnvelope } from '../wire.ts';
import type { FetchAnswer } from './fetch.ts';
import { parseRetryAfter } from './retry.ts';

/** A successful response. */
export interface Answer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The parsed JSON body; undefined if there is none. The text of another type if that is expected. */
  readonly body: unknown;
}

/**
 * What the body of a successful response must be. `anything`: any JSON, or nothing. `text`: like `anything`, or text of
 * another type, but not HTML: that is the page of another server.
 */
export type Expected = 'anything' | 'text' | 'object' | 'list' | 'batch';

const JSON_OR_HTML = /^(?:[^;]*[/+]json|text\/html)\s*(?:;|$)/i;

/**
 * Reads a response. Throws the error of its code if it is an error response, and {@link SvcError} if it is successful and
 * has another body than `expected`, for example because it is from another service.
 */
export function readAnswer(
  { status, headers }: FetchAnswer,
  text: string,
  nowMs: number,
  expected: Expected = 'anything',
): Answer {
  if (expected === 'text' && status === OK && text !== '') {
    if (!JSON_OR_HTML.test(headers.get('content-type') ?? '/json')) return { status, headers, body: text };
  }
  const parsed = parseJson(text);
  const body = parsed instanceof NotJson ? undefined : parsed;
  if ((status >= 200 && status < 300) || status === NOT_MODIFIED) {
    if (parsed instanceof NotJson && text !== '') throw wrongAddress('JSON', parsed.cause);
    if (!isExpected(body, expected)) throw wrongAddress(EXPECTED_NAMES[expected]);
    return { status, headers, body };
  }
  const requestId = headers.get('request-id') ?? undefined;
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), nowMs);
  const { code, message } = isEnvelope(body) ? body.error : withoutEnvelope(status, headers.get('location'));
  throw apiError({ code, message, status, requestId, retryAfterMs, headers, body: keptBody(parsed, text) });
}

/** The most characters of the body that an error keeps. */
const BODY_MAX_CHARACTERS = 10_000;

function keptBody(body: unknown, text: string): unknown {
  if (text.length > BODY_MAX_CHARACTERS) return text.slice(0, BODY_MAX_CHARACTERS);
  if (!(body instanceof NotJson)) return body;
  return text === '' ? undefined : text;
}

/** Sent only if the request had `If-None-Match`. */
const NOT_MODIFIED = 304;
const OK = 200;

const EXPECTED_NAMES = {
  anything: 'JSON',
  text: 'JSON',
  object: 'a JSON object',
  list: 'a list',
  batch: 'a batch of records',
} as const;

function isExpected(body: unknown, expected: Expected): boolean {
  if (expected === 'anything' || expected === 'text') return true;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  const { data, pagination }: { readonly data?: unknown; readonly pagination?: unknown } = body;
  if (expected === 'object') return true;
  return (
    Array.isArray(data) && (expected === 'batch' || (typeof pagination === 'object' && pagination !== null))
  );
}

const wrongAddress = (what: string, cause?: unknown): SvcError =>
  new SvcError(
    `The response is not ${what}. Check that baseUrl is the address of svc.`,
    cause === undefined ? undefined : { cause },
  );

/** The result for a text that is not JSON. */
class NotJson {
  readonly cause: unknown;
  constructor(cause: unknown) {
    this.cause = cause;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return new NotJson(error);
  }
}

/** Returns the code and the message of an error envelope; undefined if the text is none. */
export function readEnvelope(text: string): ErrorEnvelope['error'] | undefined {
  const body = parseJson(text);
  return isEnvelope(body) ? body.error : undefined;
}

/** The specification's error envelope (section 2). */
function isEnvelope(body: unknown): body is ErrorEnvelope {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    typeof error.code === 'string' &&
    'message' in error &&
    typeof error.message === 'string'
  );
}

/**
 * The error of a response without an envelope. Redirects are not followed, because a redirected POST would become a
 * GET. In browsers, the status of a redirect is 0.
 */
function withoutEnvelope(status: number, location: string | null): { code: string; message: string } {
  const redirected = status === 0 || (status >= 300 && status < 400);
  const message = redirected
    ? `The address is redirected${location === null ? '' : ` to ${location}`}. Set baseUrl to the address of svc itself.`
    : `The response has status ${status} and no error envelope. It may come from a proxy.`;
  return { code: 'unknown', message };
}
