import {
  type CompleteResource,
  capitalized,
  eventTypeOf,
  type JsonSchema,
  pascalCase,
  RECORD_EVENTS,
  type RecordEvent,
  recordEventTypes,
  TEST_EVENT,
  WORKSPACE_EVENT_RESOURCE,
  WORKSPACE_EVENTS,
} from '@svc/sdk/contract';
import { eventRecordExample, exampleOf, objectSchema, recordExample } from './fields.ts';
import { type Parameter, reference, type Webhook } from './types.ts';

/** The webhooks: one for each type of event, with the body that a receiver gets. */

/** The headers of every webhook, per Standard Webhooks. */
export const WEBHOOK_PARAMETERS = {
  WebhookId: {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The id of the event, the same as `data.id`. A repeat of the webhook has the same id.',
    schema: { type: 'string', pattern: '^(chg|evt)_[0-9a-z]+$' },
  },
  WebhookTimestamp: {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description:
      'Time of this attempt, in seconds since 1970. Refuse a webhook that is more than five minutes old.',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  WebhookSignature: {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      '`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64. While a secret is rotated: two, with a space between them.',
    schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$' },
  },
} as const satisfies Readonly<Record<string, Parameter>>;

/** What a webhook says happened, with the schema of `data.record` and an example of `data`. */
interface Event {
  readonly type: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly resource: string;
  readonly record: JsonSchema;
  /** The schema that `data` has besides. Default: that of a change. */
  readonly base?: JsonSchema;
  readonly example: JsonSchema;
  /** Whether `data.changed` is always present. */
  readonly isUpdate: boolean;
}

const RESPOND =
  'Verify the signature before you use the event, and respond with a status from 200 to 299 within 15 seconds.';
const DESCRIPTION = `${RESPOND} Any other response, or none, is a failure: the same bytes are sent again after 5 seconds to 24 hours.`;

/** The webhooks by the type of their event. `resources`: all of the contract, with that of the changes. */
export function webhooks(
  resources: readonly CompleteResource[],
  changes: CompleteResource,
): Readonly<Record<string, Webhook>> {
  const events = [
    ...resources.flatMap((resource) => recordEvents(resource, changes)),
    ...workspaceEvents(resources, changes),
    testEvent(changes),
  ];
  return Object.fromEntries(events.map((event) => [event.type, { post: operationOf(event, changes) }]));
}

function recordEvents(resource: CompleteResource, changes: CompleteResource): readonly Event[] {
  const { name, singular, type: schema } = resource;
  const record = recordExample(resource);
  const types = recordEventTypes([resource]) as readonly string[];
  return RECORD_EVENTS.filter((event) => types.includes(eventTypeOf(resource, event))).map((event) => {
    const type = eventTypeOf(resource, event);
    const { changed, ...example } = recordExample(changes);
    const companyId = resource.company === 'id' ? record['id'] : record['companyId'];
    const common = { ...example, type, resource: name, recordId: record['id'], companyId };
    const isUpdate = event === 'updated';
    return {
      type,
      tag: name,
      summary: `${capitalized(singular)} ${event}`,
      description: `${capitalized(singular)} ${event}. ${MEANINGS[event]}\n\n${DESCRIPTION}`,
      resource: name,
      record: event === 'deleted' ? { type: 'null' } : { ...reference('schemas', schema) },
      example: {
        ...common,
        record: event === 'deleted' ? null : record,
        ...(isUpdate ? { changed: Object.keys(record).slice(2, 3) } : {}),
      },
      isUpdate,
    };
  });
}

const MEANINGS: Readonly<Record<RecordEvent, string>> = {
  created: '`data.record` is the new record. Imported records cause this event, too.',
  updated:
    '`data.record` is the record directly after the change, and `data.changed` names the fields that changed.',
  deleted:
    '`data.record` is null. An endpoint that is limited to a company gets this event, too, when the record moves to another company.',
};

function workspaceEvents(
  resources: readonly CompleteResource[],
  changes: CompleteResource,
): readonly Event[] {
  const { changed: _, ...example } = recordExample(changes);
  return Object.entries(WORKSPACE_EVENTS).map(([type, { description, recordType, fields }]) => {
    // An event about a record that the API shows, such as a key, has that record.
    const shown = resources.find((resource) => resource.type === recordType);
    const record = eventRecordExample(type, fields, shown);
    return {
      type,
      tag: shown?.name ?? changes.name,
      summary: capitalized(type.replaceAll('.', ' ')),
      description: `${description}\n\n${DESCRIPTION}`,
      resource: WORKSPACE_EVENT_RESOURCE,
      record: { ...reference('schemas', recordType) },
      example: {
        ...example,
        type,
        resource: WORKSPACE_EVENT_RESOURCE,
        recordId: record['id'] ?? EXAMPLE_WORKSPACE,
        companyId: null,
        record,
      },
      isUpdate: false,
    };
  });
}

function testEvent(changes: CompleteResource): Event {
  const { type, fields } = TEST_EVENT;
  const { changed: _, ...example } = recordExample(changes);
  const { changed: _absent, ...fieldsOfChange } = changes.fields;
  const base = objectSchema('The test event.', fieldsOfChange);
  const record = exampleOf(fields);
  const description = 'A person sent a test event to this endpoint.';
  return {
    type,
    tag: changes.name,
    summary: 'Endpoint test',
    description: `${description} It is not in the change feed, and is sent only once.\n\n${RESPOND}`,
    resource: WORKSPACE_EVENT_RESOURCE,
    record: objectSchema(`The \`record\` of \`${type}\`. ${description}`, fields),
    // A change has none of these values.
    base: {
      ...base,
      properties: { ...Object(base['properties']), type: true, resource: true, record: true },
    },
    example: {
      ...example,
      id: EXAMPLE_TEST,
      type,
      resource: WORKSPACE_EVENT_RESOURCE,
      recordId: record['id'],
      companyId: null,
      record,
    },
    isUpdate: false,
  };
}

const EXAMPLE_TEST = 'evt_01jq4d9j5dk5ey0t4c7bux8wm';

/** An event about the whole workspace has its id. */
const EXAMPLE_WORKSPACE = 'wks_01jq4d8h4ck4dx9s3b6atw7vk';

function operationOf(
  { type, tag, summary, description, resource, record, base, example, isUpdate }: Event,
  changes: CompleteResource,
): Webhook['post'] {
  const narrowed: JsonSchema = {
    type: 'object',
    ...(isUpdate ? { required: ['changed'] } : {}),
    properties: {
      type: { const: type },
      resource: { const: resource },
      record,
      ...(isUpdate ? { changed: true } : {}),
    },
  };
  return {
    operationId: `on${pascalCase(type)}`,
    tags: [tag],
    summary,
    description,
    security: [],
    parameters: Object.keys(WEBHOOK_PARAMETERS).map((name) => reference('parameters', name)),
    requestBody: {
      required: true,
      description: 'The event. A repeat has the same bytes.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['type', 'timestamp', 'data'],
            properties: {
              type: { type: 'string', const: type, description: 'What happened.' },
              timestamp: {
                type: 'string',
                format: 'date-time',
                description: 'When the change was committed, the same as `data.createdAt`.',
              },
              data: {
                description: 'The change.',
                allOf: [base ?? reference('schemas', changes.type), narrowed],
              },
            },
          },
          example: { type, timestamp: example['createdAt'], data: example },
        },
      },
    },
    responses: {
      '2XX': { description: 'The event is delivered.', headers: {} },
      '410': { description: 'The receiver is gone: the endpoint is disabled.', headers: {} },
    },
  };
}
