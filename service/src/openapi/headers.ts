import { REQUEST_ID_PATTERN } from '../http/request.ts';
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
    description:
      'Send it back as `If-None-Match`: the answer is 304 as long as nothing has changed. That of a single record is strong: as `If-Match` it keeps a change from undoing another one.',
    required: true,
    schema: { type: 'string', pattern: '^(W/)?"[^"]*"$' },
  },
  Location: {
    description: 'The path of the new record.',
    required: true,
    schema: { type: 'string', pattern: '^/v1/[^/]+/[^/]+$' },
  },
  IdempotentReplayed: {
    description: 'There when this is the first answer, given again to a repeated `Idempotency-Key`.',
    required: false,
    schema: { type: 'string', const: 'true' },
  },
  DryRun: {
    description:
      "There for a sandbox key: the write was executed and rolled back, and this is what a production key's answer would be.",
    required: false,
    schema: { type: 'string', const: 'true' },
  },
  RateLimit: {
    description:
      'What is left of each limit that is set (`quota`: live requests this month; `burst`: requests a second), and the seconds until it starts again: `"quota";r=920;t=86400`. A key that is limited to one company is not told about `quota`.',
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
  RetryWhenDone: {
    description: 'With `idempotency_in_progress`: seconds to wait before the next try.',
    required: false,
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
  Location: 'Location',
  IdempotentReplayed: 'Idempotent-Replayed',
  DryRun: 'Dry-Run',
  RateLimit: 'RateLimit',
  RateLimitPolicy: 'RateLimit-Policy',
  RetryAfter: 'Retry-After',
  RetryWhenDone: 'Retry-After',
  WWWAuthenticate: 'WWW-Authenticate',
};

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
export const UPDATED_HEADERS = references(...EVERY_ANSWER, 'ETag', 'DryRun');
export const DELETED_HEADERS = references(...EVERY_ANSWER, 'DryRun');

/** Failures that are answered before a key is known have no limits to tell of. */
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
    ...(failure === 'CreateConflict' ? (['RetryWhenDone'] as const) : []),
  );
