import { AUDIT_LOG_KINDS, AUDIT_LOG_TARGET_TYPES, type AuditLogKind } from './audit-log-kinds.ts';
import type { ChoiceField } from './field.ts';
import { createdAt, defineResource } from './resource.ts';

const kind = {
  kind: 'choice',
  values: Object.keys(AUDIT_LOG_KINDS) as readonly AuditLogKind[],
  description: 'What happened.',
  example: 'api.request',
} as const satisfies ChoiceField;

export const auditLog = defineResource({
  name: 'audit-log',
  singular: 'audit-log entry',
  plural: 'audit-log entries',
  description:
    'An entry of the audit log: a request with a live key, a change by a person in the dashboard, or a sign-in.',
  idPrefix: 'log',
  fields: {
    id: { kind: 'id', description: 'Entry identifier.', example: 'log_01jq4d5d9zg1av6n0y3xq7t4sg' },
    kind: { ...kind, open: true },
    createdAt,
    /** The key that was used, created, or changed in any way. */
    keyId: {
      kind: 'id',
      nullable: true,
      description: 'The key that was used, created, or changed in any way.',
      example: 'key_01jq4d4c8yf0zt5m9x2wp6s3rf',
    },
    /** Email address of the person who acted; null if a program or the operator acted. */
    actor: {
      kind: 'text',
      max: 320,
      nullable: true,
      description: 'Email address of the person who acted. Null if a program or the operator acted.',
      example: 'owner@example.com',
    },
    /** Present, like `ip` and `userAgent`, if an HTTP request caused the entry. */
    requestId: {
      kind: 'text',
      max: 128,
      mayBeAbsent: true,
      description: 'The Request-Id of the response.',
      example: 'req-1f3a',
    },
    /** Present, like `path`, `status` and `durationMs`, only on `api.request`. */
    method: { kind: 'text', max: 16, mayBeAbsent: true, description: 'HTTP method.', example: 'GET' },
    path: {
      kind: 'text',
      min: 0,
      max: 2048,
      mayBeAbsent: true,
      description: 'Path without the query.',
      example: '/v1/audits',
    },
    status: {
      kind: 'integer',
      min: 100,
      max: 599,
      mayBeAbsent: true,
      description: 'HTTP status of the response.',
      example: 200,
    },
    durationMs: {
      kind: 'integer',
      min: 0,
      max: 86_400_000,
      mayBeAbsent: true,
      description: 'Milliseconds from the first byte of the request to the response.',
      example: 4,
    },
    ip: {
      kind: 'text',
      max: 64,
      mayBeAbsent: true,
      description: 'IP address of the client.',
      example: '203.0.113.7',
    },
    userAgent: {
      kind: 'text',
      min: 0,
      max: 2048,
      nullable: true,
      mayBeAbsent: true,
      description: 'User-Agent of the client.',
      example: 'curl/8.5.0',
    },
    /** Present on writes, of keys and of people: the records that were created, changed or deleted. */
    recordIds: {
      kind: 'ids',
      mayBeAbsent: true,
      description: 'Records that were created, changed or deleted.',
      example: ['aud_01jq4d1n8se0wr2h6y9zk3v5mc'],
    },
    /** Present on imports and on writes of people: the name of the resource. */
    resource: {
      kind: 'text',
      max: 64,
      mayBeAbsent: true,
      description: 'Name of the resource, for an import or a change in the dashboard.',
      example: 'audits',
    },
    /** Present on `records.imported`: how many records the import has added so far. */
    records: {
      kind: 'integer',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      mayBeAbsent: true,
      description: 'How many records an import has added so far.',
      example: 1000,
    },
    /** What the entry is about. */
    targetType: {
      kind: 'choice',
      values: AUDIT_LOG_TARGET_TYPES,
      open: true,
      mayBeAbsent: true,
      description: 'What the entry is about.',
      example: 'member',
    },
    /** Id of the target. For a member, the id of the user. */
    targetId: {
      kind: 'text',
      max: 64,
      mayBeAbsent: true,
      description: 'Id of the target. For a member, the id of the user.',
      example: 'usr_01jq4d5d9zg1av6n0y3xq7t4sg',
    },
    /** Name of the target for people: an email address, or the name of a key, a workspace or a file. */
    targetLabel: {
      kind: 'text',
      min: 0,
      max: 2048,
      mayBeAbsent: true,
      description: 'Name of the target: an email address, or the name of a key, a workspace or a file.',
      example: 'ada@example.com',
    },
    /** Further values by name. The names depend on the kind. */
    details: {
      kind: 'values',
      mayBeAbsent: true,
      description: 'Further values by name. The names depend on the kind.',
      example: { role: 'admin' },
    },
    changes: {
      kind: 'changes',
      mayBeAbsent: true,
      description: 'What changed, before and after. Fields of a record have no values here.',
      example: [{ field: 'role', before: 'viewer', after: 'admin' }],
    },
  },
  company: null,
  filters: { kind },
  // Nearly all entries are requests.
  unindexed: { kind: 'api.request' },
});
