import type { Audit } from '@svc/sdk';
import { defineResource } from './define.ts';
import { companyId, id, integer, time } from './field.ts';

export const audits = defineResource<Audit>()({
  name: 'audits',
  singular: 'audit',
  description: 'An audit of a company, with its headline score.',
  idPrefix: 'aud',
  fields: {
    id: id({ description: 'Audit identifier.', example: 'aud_01jq4d1n8se0wr2h6y9zk3v5mc' }),
    companyId,
    headlineScore: integer({ description: 'Headline score of the audit.', min: 0, max: 100, example: 74 }),
    completedAt: time({ description: 'When the audit was completed.', example: '2026-03-01T09:30:00Z' }),
  },
  company: 'companyId',
  sorts: { completed: 'completedAt', score: 'headlineScore' },
  filters: { companyId },
  immutable: true,
});
