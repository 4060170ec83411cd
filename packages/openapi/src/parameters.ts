import {
  type CompleteResource,
  CREATED,
  CURSOR_LIFETIME_SECONDS,
  type Direction,
  ID_PATTERN,
  IDEMPOTENCY_KEY_MAX_CHARACTERS,
  IDEMPOTENCY_LIFETIME_SECONDS,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  PAGE_LIMIT_MIN,
  REQUEST_ID_PATTERN,
  rangesOf,
  sortsOf,
  WAIT_MAX_SECONDS,
  WAITS_PER_KEY_MAX,
} from '@svc/sdk/contract';
import {
  fieldsParameter,
  filterParameters,
  rangeParameter,
  searchParameter,
  streamFilterParameters,
} from './filters.ts';
import { type Parameter, type Reference, reference } from './types.ts';

const SECONDS_PER_HOUR = 3600;
export const CURSOR_LIFETIME_HOURS = CURSOR_LIFETIME_SECONDS / SECONDS_PER_HOUR;
const IDEMPOTENCY_LIFETIME_HOURS = IDEMPOTENCY_LIFETIME_SECONDS / SECONDS_PER_HOUR;

const DIRECTION_MEANINGS = {
  forward: 'the items after the cursor, or the first items of the list if there is no cursor',
  before: 'the items before the cursor, or the last items of the list if there is no cursor',
} as const satisfies Readonly<Record<Direction, string>>;

/** Parameters that several operations have. */
export const PARAMETERS = {
  Cursor: {
    name: 'cursor',
    in: 'query',
    description: `\`nextCursor\`, \`startCursor\` or \`endCursor\` of an earlier page of the same list, with the same filters and sort. Opaque, and valid for ${CURSOR_LIFETIME_HOURS} hours. Omit it on the first request.`,
    schema: { type: 'string' },
  },
  Limit: {
    name: 'limit',
    in: 'query',
    description: 'Items per page. Less than 10 is allowed but discouraged.',
    schema: {
      type: 'integer',
      minimum: PAGE_LIMIT_MIN,
      maximum: PAGE_LIMIT_MAX,
      default: PAGE_LIMIT_DEFAULT,
    },
  },
  Direction: {
    name: 'direction',
    in: 'query',
    description: `Which items to return. ${Object.entries(DIRECTION_MEANINGS)
      .map(([direction, meaning]) => `\`${direction}\`: ${meaning}.`)
      .join(' ')} The items are always in the order of the list.`,
    schema: { type: 'string', enum: Object.keys(DIRECTION_MEANINGS), default: 'forward' satisfies Direction },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The ETag of an earlier response. The response is 304 without a body if nothing has changed since.',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The ETag of the record when it was read, or `*`. The response is 412 `precondition_failed` when the record has changed since, so no change is lost.',
    schema: { type: 'string' },
  },
  IfNoneMatchAny: {
    name: 'If-None-Match',
    in: 'header',
    description:
      '`*`: only create. The response is 412 `precondition_failed` if the record exists. With ETags: the same if the record has one of them.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: `Makes the request safe to repeat: for ${IDEMPOTENCY_LIFETIME_HOURS} hours, the same key and body get the first response again (\`Idempotent-Replayed: true\`), and nothing is created twice. All API keys of the workspace that are not limited to a company share one set of idempotency keys. All API keys that are limited to the same company share another set. Use a new idempotency key, such as a UUID, for each new request. A refused request does not use up its key.`,
    schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_CHARACTERS, pattern: '^[!-~]+$' },
  },
  IfNoneMatchChange: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'ETags. The response is 412 `precondition_failed` if the record has one of them, and always with `*`.',
    schema: { type: 'string' },
  },
  RequestId: {
    name: 'Request-Id',
    in: 'header',
    description: `An id for this request that matches \`${REQUEST_ID_PATTERN}\`. Any other id is replaced.`,
    schema: { type: 'string' },
  },
} as const satisfies Readonly<Record<string, Parameter>>;

const shared = (...names: readonly (keyof typeof PARAMETERS)[]): readonly Reference[] =>
  names.map((name) => reference('parameters', name));

/** The parameters that a list accepts. */
export const listParameters = (resource: CompleteResource): readonly (Parameter | Reference)[] => [
  ...shared('Cursor', 'Limit', 'Direction'),
  ...(resource.sorts === undefined ? [] : [sortParameter(resource)]),
  ...filterParameters(resource),
  ...Object.entries(rangesOf(resource)).map(([name, range]) => rangeParameter(resource, name, range)),
  ...(resource.searched === undefined ? [] : [searchParameter(resource)]),
  ...(resource.positions ? [afterParameter(resource), WAIT_PARAMETER] : []),
  fieldsParameter(resource),
  ...shared('IfNoneMatch', 'RequestId'),
];

function sortParameter(resource: CompleteResource): Parameter {
  const names = sortsOf(resource);
  return {
    name: 'sort',
    in: 'query',
    description: 'Field and order; equal values are ordered by id. A different sort needs a new cursor.',
    schema: { type: 'string', enum: names, default: names[0] },
  };
}

const afterParameter = ({ plural }: CompleteResource): Parameter => ({
  name: 'after',
  in: 'query',
  description: `\`pagination.position\` of an earlier page, or the id of one of the ${plural}: returns what follows it, in the order of the commits. \`now\`: the end of the feed. Excludes \`cursor\` and \`direction\`. The page is oldest first: continue with \`after\` and its \`position\`, or with \`nextCursor\` and \`sort=${CREATED}-ascending\`. Unlike a cursor, a position has no binding to filters, and is valid as long as what follows it is stored (30 days by default); then \`position_expired\`.`,
  schema: { type: 'string' },
});

/** The parameters of an export: the filters of the list, without the ranges of other fields than the time of creation. */
export const exportParameters = (resource: CompleteResource): readonly (Parameter | Reference)[] => [
  ...filterParameters(resource),
  ...(resource.searched === undefined ? [] : [searchParameter(resource)]),
  fieldsParameter(resource),
  ...shared('RequestId'),
];

/** The parameters of a stream: the filters of the list, and where it starts. */
export const streamParameters = (resource: CompleteResource): readonly (Parameter | Reference)[] => [
  ...streamFilterParameters(resource),
  {
    name: 'after',
    in: 'query',
    description: `The position at which the stream starts, as in the list of ${resource.plural}. Default: \`now\`.`,
    schema: { type: 'string', default: 'now' },
  },
  {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'The id of the last event that the client has received. The stream continues after it. It has precedence over `after`.',
    schema: { type: 'string' },
  },
  ...shared('RequestId'),
];

const WAIT_PARAMETER: Parameter = {
  name: 'wait',
  in: 'query',
  description: `With \`after\`: if there are no changes, waits up to so many seconds for the next one, and responds as soon as it is committed. When the time is over, the response is an empty page. A request that waits uses one unit of quota. At most ${WAITS_PER_KEY_MAX} requests of a key wait at the same time, otherwise \`rate_limited\`.`,
  schema: { type: 'integer', minimum: 0, maximum: WAIT_MAX_SECONDS, default: 0 },
};

const idParameter = ({ singular, fields }: CompleteResource): Parameter => ({
  name: 'id',
  in: 'path',
  required: true,
  description: `Id of the ${singular}.`,
  schema: { type: 'string', pattern: ID_PATTERN, examples: [fields['id']?.example] },
});

export const recordParameters = (resource: CompleteResource): readonly (Parameter | Reference)[] => [
  idParameter(resource),
  fieldsParameter(resource),
  ...shared('IfNoneMatch', 'RequestId'),
];

export const createParameters = shared('IdempotencyKey', 'RequestId');

export const putParameters = (resource: CompleteResource): readonly (Parameter | Reference)[] => [
  idParameter(resource),
  ...shared('IfMatch', 'IfNoneMatchAny', 'IdempotencyKey', 'RequestId'),
];

export const batchChangeParameters = shared('RequestId');

export const changeParameters = (resource: CompleteResource): readonly (Parameter | Reference)[] => [
  idParameter(resource),
  ...shared('IfMatch', 'IfNoneMatchChange', 'RequestId'),
];

export const countParameters: readonly (Parameter | Reference)[] = [
  {
    name: 'approximate',
    in: 'query',
    description: 'The response repeats this value. The count is the same: exact.',
    schema: { type: 'boolean', default: false },
  },
  ...shared('RequestId'),
];
