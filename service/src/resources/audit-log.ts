import {
  AUDIT_LOG_KINDS,
  AUDIT_LOG_TARGET_TYPES,
  type AuditLogChange,
  type AuditLogEntry,
  type AuditLogKind,
  type AuditLogValue,
} from '@svc/sdk';
import { Type } from 'typebox';
import { defineResource } from './define.ts';
import { choice, createdAt, id, integer, json, nullable, open, optional, text, texts } from './field.ts';

/** Text, a number, a truth value or null, each with its name. */
const value = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);
const change = Type.Object({
  field: Type.String(),
  before: Type.Optional(value),
  after: Type.Optional(value),
});

const kind = choice(Object.keys(AUDIT_LOG_KINDS) as readonly AuditLogKind[], {
  description: 'What happened.',
  example: 'api.request',
});
const request = { min: 0, max: 2048 } as const;

export const auditLog = defineResource<AuditLogEntry>()({
  name: 'audit-log',
  singular: 'audit-log entry',
  description:
    'What happened in the workspace: every request with a live key, every change that people make, and their sign-ins.',
  idPrefix: 'log',
  fields: {
    id: id({ description: 'Entry identifier.', example: 'log_01jq4d5d9zg1av6n0y3xq7t4sg' }),
    kind: open(kind),
    createdAt,
    keyId: nullable(
      id({ description: 'The key that was used or changed.', example: 'key_01jq4d4c8yf0zt5m9x2wp6s3rf' }),
    ),
    actor: nullable(
      text({ description: 'The person who acted in the dashboard.', max: 320, example: 'owner@example.com' }),
    ),
    requestId: optional(
      text({ description: 'The Request-Id of the answer.', max: 128, example: 'req-1f3a' }),
    ),
    method: optional(text({ description: 'HTTP method.', max: 16, example: 'GET' })),
    path: optional(text({ description: 'Path without the query.', ...request, example: '/v1/audits' })),
    status: optional(
      integer({ description: 'HTTP status of the answer.', min: 100, max: 599, example: 200 }),
    ),
    durationMs: optional(
      integer({
        description: 'From the first byte to the answer, milliseconds.',
        min: 0,
        max: 86_400_000,
        example: 4,
      }),
    ),
    ip: optional(text({ description: 'Address of the client.', max: 64, example: '203.0.113.7' })),
    userAgent: optional(
      nullable(text({ description: "The client's User-Agent.", ...request, example: 'curl/8.5.0' })),
    ),
    recordIds: optional(
      texts({
        description: 'Of a write: the records that it made, changed or removed.',
        example: ['aud_01jq4d1n8se0wr2h6y9zk3v5mc'],
      }),
    ),
    resource: optional(
      text({
        description: 'Of an import or a change in the dashboard: the kind of records.',
        max: 64,
        example: 'audits',
      }),
    ),
    records: optional(
      integer({
        description: 'Of an import: how many records it has added so far.',
        min: 0,
        max: Number.MAX_SAFE_INTEGER,
        example: 1000,
      }),
    ),
    targetType: optional(
      open(choice(AUDIT_LOG_TARGET_TYPES, { description: 'What the entry is about.', example: 'member' })),
    ),
    targetId: optional(
      text({
        description: 'Id of what the entry is about; of a member, the id of the user.',
        max: 64,
        example: 'usr_01jq4d5d9zg1av6n0y3xq7t4sg',
      }),
    ),
    targetLabel: optional(
      text({
        description:
          'What the entry is about, for people: an e-mail address, or the name of a key, a workspace or a file.',
        min: 0,
        max: 2048,
        example: 'ada@example.com',
      }),
    ),
    details: optional(
      json<Readonly<Record<string, AuditLogValue>>>(Type.Record(Type.String(), value), {
        description: 'Facts by their names; each kind has its own.',
        example: { role: 'admin' },
      }),
    ),
    changes: optional(
      json<readonly AuditLogChange[]>(Type.Array(change), {
        description: 'What changed, before and after. Fields of a record have no values here.',
        example: [{ field: 'role', before: 'viewer', after: 'admin' }],
      }),
    ),
  },
  company: null,
  filters: { kind },
  relation: 'audit_log_entries',
  writable: false,
});
