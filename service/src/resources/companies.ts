import type { Company } from '@svc/sdk';
import { defineResource } from './define.ts';
import { createdAt, id, nullable, text } from './field.ts';

export const companies = defineResource<Company>()({
  name: 'companies',
  singular: 'company',
  description: 'A company that the workspace follows.',
  idPrefix: 'com',
  fields: {
    id: id({ description: 'Company identifier.', example: 'com_01jq4d0e6tf3s9v2m8k5x7h1ab' }),
    name: text({ description: 'Name of the company.', max: 200, example: 'Acme' }),
    domain: nullable(text({ description: 'Its main domain.', max: 253, example: 'acme.example' })),
    createdAt,
  },
  company: 'id',
  total: true,
});
