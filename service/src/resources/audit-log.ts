import type { AuditLogEntry } from '@svc/sdk';
import { AUDIT_LOG_KINDS } from '../audit-log/entry.ts';
import { choice, createdAt, id, integer, nullable, optional, text, texts } from '../declaration/field.ts';
import { declareResource } from '../declaration/resource.ts';

const kind = choice(AUDIT_LOG_KINDS, { description: 'What happened.', example: 'api.request' });
const request = { min: 0, max: 2048 } as const;

export const auditLog = declareResource<AuditLogEntry>()({
  name: 'audit-log',
  singular: 'audit-log entry',
  description:
    'What happened in the workspace: every request with a live key, and every change to keys, members and quota.',
  idPrefix: 'log',
  fields: {
    id: id({ description: 'Entry identifier.', example: 'log_01jq4d5d9zg1av6n0y3xq7t4sg' }),
    kind,
    createdAt,
    keyId: nullable(
      id({ description: 'The key that was used or changed.', example: 'key_01jq4d4c8yf0zt5m9x2wp6s3rf' }),
    ),
    actor: nullable(
      text({ description: 'The dashboard user who acted.', max: 320, example: 'owner@example.com' }),
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
        description: 'Of an import or a change in the dashboard: what kind of records.',
        max: 64,
        example: 'audits',
      }),
    ),
    records: optional(
      integer({
        description: 'Of an import: how many records came in.',
        min: 0,
        max: Number.MAX_SAFE_INTEGER,
        example: 1000,
      }),
    ),
  },
  company: null,
  filters: { kind },
  relation: 'audit_log',
  records: false,
});
