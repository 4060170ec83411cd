import { type CompleteResource, ERROR_CODES, ERRORS, type ErrorCode } from '@svc/sdk/contract';

/** Which failures each operation can have. The contract has the status and the meaning of each code. */

/** The codes and their meaning as a Markdown list. */
export const codesText = (codes: readonly ErrorCode[]): string =>
  codes.map((code) => `- \`${code}\`: ${ERRORS[code].meaning}`).join('\n');

export const ERROR_CODES_TEXT = `More codes may be added: handle an unknown code by its status.\n\n${codesText(ERROR_CODES)}`;

/** The failure responses, each with its possible codes. All codes of a response have the same status. */
export const FAILURES = {
  BadRequest: ['invalid_parameter', 'invalid_request'],
  BadListRequest: [
    'invalid_parameter',
    'invalid_cursor',
    'cursor_expired',
    'cursor_mismatch',
    'invalid_request',
  ],
  BadWriteRequest: ['invalid_parameter', 'invalid_body', 'invalid_request'],
  InvalidKey: ['invalid_key'],
  NetworkNotAllowed: ['network_not_allowed'],
  InsufficientScope: ['insufficient_scope', 'network_not_allowed'],
  NotFound: ['not_found'],
  RequestTimeout: ['request_timeout'],
  CreateConflict: ['conflict', 'idempotency_in_progress'],
  InvalidTransition: ['invalid_transition'],
  WriteConflict: ['conflict', 'invalid_transition', 'idempotency_in_progress'],
  DeleteConflict: ['conflict'],
  PositionExpired: ['position_expired'],
  PreconditionFailed: ['precondition_failed'],
  PayloadTooLarge: ['payload_too_large'],
  UnsupportedMediaType: ['unsupported_media_type'],
  ExpectationFailed: ['expectation_failed'],
  IdempotencyMismatch: ['idempotency_mismatch'],
  TooManyRequests: ['quota_exceeded', 'rate_limited'],
  HeadersTooLarge: ['headers_too_large'],
  InternalError: ['internal_error'],
  Unavailable: ['unavailable'],
} as const satisfies Readonly<Record<string, readonly [ErrorCode, ...ErrorCode[]]>>;

export type Failure = keyof typeof FAILURES;

export const statusOf = (failure: Failure): number => ERRORS[FAILURES[failure][0]].status;

/** Possible on every path. Those of an operation follow them, and replace one of the same status. */
const ALWAYS = [
  'NetworkNotAllowed',
  'InvalidKey',
  'RequestTimeout',
  'ExpectationFailed',
  'TooManyRequests',
  'HeadersTooLarge',
  'InternalError',
  'Unavailable',
] as const satisfies readonly Failure[];

/** A key that is limited to one company cannot read some lists, and cannot request records of another company. */
export const listFailures = ({ company, filters, positions }: CompleteResource): readonly Failure[] => [
  ...ALWAYS,
  'BadListRequest',
  ...(company === null || 'companyId' in filters ? ['InsufficientScope' as const] : []),
  ...(positions ? ['PositionExpired' as const] : []),
];

export const recordFailures = ({ company }: CompleteResource): readonly Failure[] => [
  ...ALWAYS,
  'BadRequest',
  ...(company === null ? ['InsufficientScope' as const] : []),
  'NotFound',
];

export const STREAM_FAILURES: readonly Failure[] = [
  ...ALWAYS,
  'BadRequest',
  'InsufficientScope',
  'PositionExpired',
];

export const exportFailures = ({ filters }: CompleteResource): readonly Failure[] => [
  ...ALWAYS,
  'BadRequest',
  ...('companyId' in filters ? ['InsufficientScope' as const] : []),
];

export const COUNT_FAILURES: readonly Failure[] = [...ALWAYS, 'BadRequest'];

export const ME_FAILURES: readonly Failure[] = [...ALWAYS, 'BadRequest'];

/** Possible on every write: a key may lack write access, and any request can have a body. */
const EVERY_WRITE = [
  ...ALWAYS,
  'BadWriteRequest',
  'InsufficientScope',
  'PayloadTooLarge',
  'UnsupportedMediaType',
] as const satisfies readonly Failure[];

export const CREATE_FAILURES: readonly Failure[] = [...EVERY_WRITE, 'CreateConflict', 'IdempotencyMismatch'];

/** Of a request that creates or replaces: both can be refused. */
export const putFailures = ({ transitions }: CompleteResource): readonly Failure[] => [
  ...EVERY_WRITE,
  transitions === undefined ? 'CreateConflict' : 'WriteConflict',
  'PreconditionFailed',
  'IdempotencyMismatch',
];

export const updateBatchFailures = ({ transitions }: CompleteResource): readonly Failure[] => [
  ...EVERY_WRITE,
  'NotFound',
  ...(transitions === undefined ? [] : ['InvalidTransition' as const]),
];

export const DELETE_BATCH_FAILURES: readonly Failure[] = [
  ...EVERY_WRITE,
  'NotFound',
  'CreateConflict',
  'IdempotencyMismatch',
];

export const OPERATIONS_FAILURES: readonly Failure[] = [
  ...EVERY_WRITE,
  'NotFound',
  'WriteConflict',
  'PreconditionFailed',
  'IdempotencyMismatch',
];

export const updateFailures = ({ transitions }: CompleteResource): readonly Failure[] => [
  ...EVERY_WRITE,
  'NotFound',
  ...(transitions === undefined ? [] : ['InvalidTransition' as const]),
  'PreconditionFailed',
];

/** A company with records or keys cannot be deleted. */
export const deleteFailures = ({ company }: CompleteResource): readonly Failure[] => [
  ...EVERY_WRITE,
  'NotFound',
  ...(company === 'id' ? ['DeleteConflict' as const] : []),
  'PreconditionFailed',
];
