import { apiKeys } from './api-keys.ts';
import type { Fields, Wire } from './field.ts';
import { ID_MAX_CHARACTERS } from './limits.ts';

/** The value of `resource` for events of the workspace itself. */
export const WORKSPACE_EVENT_RESOURCE = 'workspace';

interface WorkspaceEventContract {
  /** When it happens. */
  readonly description: string;
  /** Name of the type of its `record`. */
  readonly recordType: string;
  /** The fields of its `record`. */
  readonly fields: Fields;
}

/** The largest number of requests or records that an event has. */
const NUMBER_MAX = Number.MAX_SAFE_INTEGER;

const key = { recordType: 'ApiKey', fields: apiKeys.fields } as const;

/** What happens to a workspace, apart from its records. */
export const WORKSPACE_EVENTS = {
  'endpoint.disabled': {
    description: 'The service disabled a webhook endpoint.',
    recordType: 'DisabledEndpoint',
    fields: {
      id: { kind: 'id', description: 'Endpoint identifier.', example: 'whe_01jq4d6f2ah2bv7q1z4yr8t5sh' },
      origin: {
        kind: 'text',
        max: 2_048,
        format: 'uri',
        description:
          'The origin of its URL. The rest can contain a secret, and every key can read this event.',
        example: 'https://example.com',
      },
      reason: {
        kind: 'choice',
        values: ['gone', 'exhausted', 'failing', 'expired'],
        open: true,
        description:
          'Why: it responded with 410 (`gone`), all attempts of an event failed (`exhausted`), every attempt of five days failed (`failing`), or its changes are no longer stored (`expired`).',
        example: 'gone',
      },
    },
  },
  'import.finished': {
    description: 'An import of a file has ended, and has added records.',
    recordType: 'FinishedImport',
    fields: {
      id: { kind: 'id', description: 'Import identifier.', example: 'imp_01jq4d7g3bj3cw8r2a5zs9v6tj' },
      resource: {
        kind: 'text',
        max: ID_MAX_CHARACTERS,
        description: 'Resource of its records.',
        example: 'audits',
      },
      added: {
        kind: 'integer',
        min: 1,
        max: NUMBER_MAX,
        description: 'How many records it has added.',
        example: 5000,
      },
      existing: {
        kind: 'integer',
        min: 0,
        max: NUMBER_MAX,
        description: 'How many records it left out because they existed.',
        example: 12,
      },
      refused: {
        kind: 'integer',
        min: 0,
        max: NUMBER_MAX,
        description: 'How many records it refused.',
        example: 3,
      },
      finished: {
        kind: 'boolean',
        description: 'Whether the file was read to its end. False: the import has stopped before.',
        example: true,
      },
    },
  },
  'key.changed': { description: 'A person changed the name or the limits of an API key.', ...key },
  'key.created': { description: 'A person created an API key.', ...key },
  'key.expiring': {
    description: 'An API key expires within seven days. Once for each expiry date of a key.',
    ...key,
  },
  'key.paused': { description: 'A person paused an API key: it is not accepted.', ...key },
  'key.resumed': { description: 'A person resumed an API key that was paused.', ...key },
  'key.revoked': { description: 'A person revoked an API key.', ...key },
  'key.rotated': { description: 'A person replaced the token of an API key.', ...key },
  'quota.reached': {
    description: 'The workspace has used 80 or 100 percent of its live quota of the month.',
    recordType: 'ReachedQuota',
    fields: {
      percent: { kind: 'integer', min: 80, max: 100, description: '80 or 100.', example: 80 },
      limit: {
        kind: 'integer',
        min: 1,
        max: NUMBER_MAX,
        description: 'Live requests that the workspace has in a month.',
        example: 100000,
      },
      used: {
        kind: 'integer',
        min: 0,
        max: NUMBER_MAX,
        description: 'Live requests of this month, at most `limit`.',
        example: 80000,
      },
      month: { kind: 'text', min: 7, max: 7, description: 'The month in UTC.', example: '2026-03' },
    },
  },
} as const satisfies Readonly<Record<string, WorkspaceEventContract>>;

export type WorkspaceEventType = keyof typeof WORKSPACE_EVENTS;

/** The JSON type of the `record` of an event of the workspace: `WorkspaceEventRecord<'quota.reached'>`. */
export type WorkspaceEventRecord<Type extends WorkspaceEventType> = Wire<(typeof WORKSPACE_EVENTS)[Type]>;

/** In alphabetical order. */
export const WORKSPACE_EVENT_TYPES = Object.keys(WORKSPACE_EVENTS) as readonly WorkspaceEventType[];

/** The webhook that a person sends to one endpoint to try it. It is not in the feed. */
export const TEST_EVENT = {
  type: 'endpoint.test',
  fields: {
    id: WORKSPACE_EVENTS['endpoint.disabled'].fields.id,
    message: {
      kind: 'text',
      max: 100,
      description: 'What the event is, for people.',
      example: 'This is a test event. Nothing has changed.',
    },
  },
} as const satisfies Pick<WorkspaceEventContract, 'fields'> & { readonly type: string };
