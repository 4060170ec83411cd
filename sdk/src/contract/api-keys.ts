import type { ChoiceField } from './field.ts';
import { companyId, createdAt, defineResource } from './resource.ts';

const keyStatus = {
  kind: 'choice',
  values: ['active', 'revoked', 'paused', 'expired'],
  description: 'Only active keys are accepted. A key that is paused and has expired is `expired`.',
  example: 'active',
} as const satisfies ChoiceField;

export const apiKeys = defineResource({
  name: 'api-keys',
  singular: 'API key',
  plural: 'API keys',
  description:
    'A key of the workspace, without its token. Keys are created and changed only in the dashboard.',
  idPrefix: 'key',
  fields: {
    id: { kind: 'id', description: 'API key identifier.', example: 'key_01jq4d4c8yf0zt5m9x2wp6s3rf' },
    name: { kind: 'text', max: 100, description: 'Name of the key.', example: 'crawler' },
    mode: {
      kind: 'choice',
      values: ['live', 'test'],
      description: 'Live, or test (sandbox).',
      example: 'live',
    },
    /** Prefix and last four characters of the token, for example `svc_live_…9xQ2`. */
    hint: {
      kind: 'text',
      max: 20,
      description: 'Prefix and last four characters of the token.',
      example: 'svc_live_…9xQ2',
    },
    access: {
      kind: 'choice',
      values: ['read', 'write'],
      description: 'Whether the key can only read, or also write.',
      example: 'read',
    },
    /** The only company whose records the key may access; null: the whole workspace. */
    companyId: {
      ...companyId,
      nullable: true,
      description: 'The only company whose records the key may access. Null: the whole workspace.',
    },
    createdAt,
    /** Accurate to the minute; null: never used. */
    lastUsedAt: {
      kind: 'time',
      nullable: true,
      description: 'Time of the last request, accurate to the minute. Null if the key was never used.',
      example: '2026-03-02T08:00:00Z',
    },
    revokedAt: {
      kind: 'time',
      nullable: true,
      description: 'When the key was revoked. Null if it was not.',
      example: '2026-03-02T08:00:00.000001Z',
    },
    expiresAt: {
      kind: 'time',
      nullable: true,
      description: 'From this time on, the key is not accepted. Null if it does not expire.',
      example: '2026-09-01T00:00:00.000000Z',
    },
    pausedAt: {
      kind: 'time',
      nullable: true,
      description:
        'When the key was paused: it is not accepted until a person resumes it. Null if it is not paused.',
      example: '2026-03-02T08:00:00.000001Z',
    },
  },
  company: 'companyId',
  filters: { status: keyStatus },
  // People create the keys, so their list is small and needs no indexes for filters.
  indexes: { created: [] },
  total: true,
});
