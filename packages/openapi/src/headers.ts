import { REQUEST_ID_PATTERN } from '@svc/sdk/contract';
import { type Failure, statusOf } from './failures.ts';
import { type Header, type Reference, reference } from './types.ts';

/** The headers of responses. Each response lists its headers. */
export const HEADERS = {
  RequestId: {
    description:
      'Id of the request: the one that was sent if it is valid, otherwise a new one. Include it when you report a problem.',
    required: true,
    schema: { type: 'string', pattern: REQUEST_ID_PATTERN },
  },
  ETag: {
    description:
      'Send it as `If-None-Match`: the response is 304 if nothing has changed. The ETag of a single record is strong, unless it was read with `fields`. Send it as `If-Match` with a change, so that the change does not undo another one.',
    required: true,
    schema: { type: 'string', pattern: '^(W/)?"[^"]*"$' },
  },
  Location: {
    description: 'The path of the new record.',
    required: true,
    schema: { type: 'string', pattern: '^/v1/[^/]+/[^/]+$' },
  },
  IdempotentReplayed: {
    description: 'Present if the `Idempotency-Key` was repeated and this is the first response again.',
    required: false,
    schema: { type: 'string', const: 'true' },
  },
  DryRun: {
    description:
      'Present for a test key: the write was executed and rolled back. A live key would get this response.',
    required: false,
    schema: { type: 'string', const: 'true' },
  },
  RateLimit: {
    description:
      'What is left of each limit that is set (`quota`: live requests this month; `burst`: requests per second), and the seconds until the limit is reset: `"quota";r=920;t=86400`. A key that is limited to one company does not get `quota`.',
    required: false,
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    description: 'Each limit that is set and its window in seconds: `"quota";q=1000;w=2678400`.',
    required: false,
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Seconds to wait before the next attempt.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  RetryWhenDone: {
    description: 'With `idempotency_in_progress`: seconds to wait before the next attempt.',
    required: false,
    schema: { type: 'integer', minimum: 0 },
  },
  WWWAuthenticate: {
    description: '`Bearer`, with `error="invalid_token"` if a token was sent (RFC 6750).',
    required: true,
    schema: { type: 'string', pattern: '^Bearer' },
  },
} as const satisfies Readonly<Record<string, Header>>;

type HeaderName = keyof typeof HEADERS;

const WIRE_NAMES: Readonly<Record<HeaderName, string>> = {
  RequestId: 'Request-Id',
  ETag: 'ETag',
  Location: 'Location',
  IdempotentReplayed: 'Idempotent-Replayed',
  DryRun: 'Dry-Run',
  RateLimit: 'RateLimit',
  RateLimitPolicy: 'RateLimit-Policy',
  RetryAfter: 'Retry-After',
  RetryWhenDone: 'Retry-After',
  WWWAuthenticate: 'WWW-Authenticate',
};

/** The names of all documented headers of responses. `Allow` is one of 405, which is the response of no operation. */
export const RESPONSE_HEADERS: readonly string[] = [...new Set([...Object.values(WIRE_NAMES), 'Allow'])];

const references = (...names: readonly HeaderName[]): Readonly<Record<string, Reference>> =>
  Object.fromEntries(names.map((name) => [WIRE_NAMES[name], reference('headers', name)]));

const EVERY_ANSWER = ['RequestId', 'RateLimit', 'RateLimitPolicy'] as const;

export const ANSWER_HEADERS = references(...EVERY_ANSWER);
export const CONDITIONAL_HEADERS = references(...EVERY_ANSWER, 'ETag');
export const CREATED_HEADERS = references(
  ...EVERY_ANSWER,
  'Location',
  'ETag',
  'IdempotentReplayed',
  'DryRun',
);
export const BATCH_HEADERS = references(...EVERY_ANSWER, 'IdempotentReplayed', 'DryRun');
/** Of a batch of changes, and of a deletion. */
export const DRY_RUN_HEADERS = references(...EVERY_ANSWER, 'DryRun');
export const UPDATED_HEADERS = references(...EVERY_ANSWER, 'ETag', 'DryRun');
export const REPLACED_HEADERS = references(...EVERY_ANSWER, 'ETag', 'IdempotentReplayed', 'DryRun');

/** Failures before the service has checked the key. Their responses do not have the headers of the limits. */
const WITHOUT_KEY: readonly Failure[] = [
  'InvalidKey',
  'RequestTimeout',
  'ExpectationFailed',
  'HeadersTooLarge',
];
const TRY_LATER_STATUSES: readonly number[] = [429, 503];

export const failureHeaders = (failure: Failure): Readonly<Record<string, Reference>> =>
  references(
    'RequestId',
    ...(WITHOUT_KEY.includes(failure) ? [] : (['RateLimit', 'RateLimitPolicy'] as const)),
    ...(failure === 'InvalidKey' ? (['WWWAuthenticate'] as const) : []),
    ...(TRY_LATER_STATUSES.includes(statusOf(failure)) ? (['RetryAfter'] as const) : []),
    ...(failure === 'CreateConflict' || failure === 'WriteConflict' ? (['RetryWhenDone'] as const) : []),
  );
