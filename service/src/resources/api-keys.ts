import type { ApiKey } from '@svc/sdk';
import { defineResource } from './define.ts';
import { choice, companyId, createdAt, id, nullable, text, time } from './field.ts';

const status = choice(['active', 'revoked'], {
  description: 'Whether the key is still accepted.',
  example: 'active',
});

export const apiKeys = defineResource<ApiKey>()({
  name: 'api-keys',
  singular: 'API key',
  description:
    'A key of the workspace, without its token. Keys are made, rotated and revoked in the dashboard alone.',
  idPrefix: 'key',
  fields: {
    id: id({ description: 'API key identifier.', example: 'key_01jq4d4c8yf0zt5m9x2wp6s3rf' }),
    name: text({ description: 'Name given at creation.', max: 100, example: 'crawler' }),
    mode: choice(['live', 'test'], { description: 'Live, or test (sandbox).', example: 'live' }),
    hint: text({
      description: 'Prefix and last four characters of the token.',
      max: 20,
      example: 'svc_live_…9xQ2',
    }),
    access: choice(['read', 'write'], { description: 'What the key may do.', example: 'read' }),
    companyId: nullable(companyId),
    createdAt,
    lastUsedAt: nullable(
      time({ description: 'Last request, to the minute.', from: 'server', example: '2026-03-02T08:00:00Z' }),
    ),
    revokedAt: nullable(
      time({
        description: 'When the key was revoked.',
        from: 'server',
        example: '2026-03-02T08:00:00.000001Z',
      }),
    ),
  },
  company: 'companyId',
  filters: { status },
  total: true,
  relation: 'api_key_records',
  writable: false,
});
