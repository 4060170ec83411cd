import { REQUEST_ID_PATTERN } from '../http/request-id.ts';
import { type Failure, statusOf } from './failures.ts';
import { type Header, type Reference, reference } from './types.ts';

/** The headers of answers; every answer says which of them it has. */
export const HEADERS = {
  RequestId: {
    description:
      "The request's id: the one that was sent, if it is sane, else a new one. Quote it in reports.",
    required: true,
    schema: { type: 'string', pattern: REQUEST_ID_PATTERN },
  },
  ETag: {
    description: 'Send it back as `If-None-Match`: the answer is 304 as long as nothing has changed.',
    required: true,
    schema: { type: 'string', pattern: '^(W/)?"[^"]*"$' },
  },
  RateLimit: {
    description:
      'What is left of each limit that is set (`quota`: live requests this month; `burst`: requests a second), and the seconds until it starts anew: `"quota";r=920;t=86400`.',
    required: false,
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    description: 'Each limit that is set and its window in seconds: `"quota";q=1000;w=2678400`.',
    required: false,
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Seconds to wait before the next try.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  WWWAuthenticate: {
    description: '`Bearer`, with `error="invalid_token"` when a token was sent (RFC 6750).',
    required: true,
    schema: { type: 'string', pattern: '^Bearer' },
  },
} as const satisfies Readonly<Record<string, Header>>;

type HeaderName = keyof typeof HEADERS;

const WIRE_NAMES: Readonly<Record<HeaderName, string>> = {
  RequestId: 'Request-Id',
  ETag: 'ETag',
  RateLimit: 'RateLimit',
  RateLimitPolicy: 'RateLimit-Policy',
  RetryAfter: 'Retry-After',
  WWWAuthenticate: 'WWW-Authenticate',
};

const references = (...names: readonly HeaderName[]): Readonly<Record<string, Reference>> =>
  Object.fromEntries(names.map((name) => [WIRE_NAMES[name], reference('headers', name)]));

export const ANSWER_HEADERS = references('RequestId', 'RateLimit', 'RateLimitPolicy');
export const CONDITIONAL_HEADERS = references('RequestId', 'ETag', 'RateLimit', 'RateLimitPolicy');

/** Failures that are answered before a key is known have no limits to tell of. */
const WITHOUT_KEY: readonly Failure[] = ['InvalidKey', 'RequestTimeout', 'HeadersTooLarge'];
const TRY_LATER_STATUSES: readonly number[] = [429, 503];

export const failureHeaders = (failure: Failure): Readonly<Record<string, Reference>> =>
  references(
    'RequestId',
    ...(WITHOUT_KEY.includes(failure) ? [] : (['RateLimit', 'RateLimitPolicy'] as const)),
    ...(failure === 'InvalidKey' ? (['WWWAuthenticate'] as const) : []),
    ...(TRY_LATER_STATUSES.includes(statusOf(failure)) ? (['RetryAfter'] as const) : []),
  );
