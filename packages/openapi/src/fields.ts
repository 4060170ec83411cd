import type { ApiKey, AuditLogEntry } from '@svc/sdk';
import {
  type CompleteResource,
  createdAt,
  type Field,
  type Fields,
  type JsonSchema,
  schemaOf,
  writtenSchemaOf,
} from '@svc/sdk/contract';

/** The schema of a field's values, with its description and an example. */
export const describedSchema = (field: Field): JsonSchema => ({
  ...schemaOf(field),
  description: field.description,
  examples: [field.example],
});

/** The schema of the values that a writer may give a field, with its description and an example. */
export const writtenSchema = (field: Field): JsonSchema => ({
  ...describedSchema(field),
  ...writtenSchemaOf(field),
});

/**
 * The schema of a field whose values are added within a version, such as `kind`: a known value, or any text. A
 * validator that a client generates from it therefore accepts new values.
 */
export function openSchema({ enum: values, type, ...rest }: JsonSchema): JsonSchema {
  return { ...rest, anyOf: [{ type, enum: values }, { type: 'string' }] };
}

/** The schema of a field in responses. Request bodies and filters accept only known values. */
const shownSchema = (field: Field): JsonSchema =>
  field.kind === 'choice' && field.open === true
    ? openSchema(describedSchema(field))
    : describedSchema(field);

/** The schema of an object with these fields. */
export function objectSchema(description: string, fields: Fields): JsonSchema {
  const entries = Object.entries(fields);
  return {
    type: 'object',
    description,
    required: entries.filter(([, { mayBeAbsent }]) => mayBeAbsent !== true).map(([name]) => name),
    properties: Object.fromEntries(entries.map(([name, field]) => [name, shownSchema(field)])),
  };
}

/** An object with these fields. */
export const exampleOf = (fields: Fields): JsonSchema =>
  Object.fromEntries(Object.entries(fields).map(([name, { example }]) => [name, example]));

const ACTIVE_KEY: ApiKey = {
  id: 'key_01jq4d4c8yf0zt5m9x2wp6s3rf',
  name: 'crawler',
  mode: 'live',
  hint: 'svc_live_…9xQ2',
  access: 'read',
  companyId: null,
  createdAt: createdAt.example,
  lastUsedAt: '2026-03-02T08:00:00Z',
  revokedAt: null,
  expiresAt: null,
  pausedAt: null,
};

const READ_WITH_KEY: AuditLogEntry = {
  id: 'log_01jq4d5d9zg1av6n0y3xq7t4sg',
  kind: 'api.request',
  createdAt: createdAt.example,
  keyId: ACTIVE_KEY.id,
  actor: null,
  method: 'GET',
  path: '/v1/audits',
  status: 200,
  durationMs: 4,
  requestId: 'req-1f3a',
  ip: '203.0.113.7',
  userAgent: 'curl/8.5.0',
};

/** Records of the resources whose fields have examples that do not occur together, by name. */
const WHOLE_EXAMPLES: Readonly<Record<string, object>> = {
  'api-keys': ACTIVE_KEY,
  'audit-log': READ_WITH_KEY,
};

/** A record as lists show it. */
export const recordExample = ({ name, fields }: CompleteResource): JsonSchema => ({
  ...(WHOLE_EXAMPLES[name] ?? exampleOf(fields)),
});

/** The times of a key directly after an event about it. */
const AFTER_EVENT: Readonly<Record<string, Partial<ApiKey>>> = {
  'key.created': { lastUsedAt: null },
  'key.expiring': { expiresAt: '2026-03-06T00:00:00.000000Z' },
  'key.paused': { pausedAt: createdAt.example },
  'key.revoked': { revokedAt: createdAt.example },
};

/** The record of an event of the workspace. `shown`: the resource that has such records, if one does. */
export const eventRecordExample = (
  type: string,
  fields: Fields,
  shown: CompleteResource | undefined,
): JsonSchema => ({
  ...(shown === undefined ? exampleOf(fields) : recordExample(shown)),
  ...AFTER_EVENT[type],
});
