import { apiKeys } from './api-keys.ts';
import { auditLog } from './audit-log.ts';
import { changesOf } from './changes.ts';
import type { ChoiceField, TextField } from './field.ts';
import { companyId, createdAt, defineResource } from './resource.ts';

const source = {
  kind: 'text',
  max: 200,
  description: 'Where the mention was found.',
  example: 'news.example.com',
} as const satisfies TextField;

const sentiment = {
  kind: 'choice',
  values: ['positive', 'neutral', 'negative'],
  description: 'Tone of the mention.',
  example: 'positive',
} as const satisfies ChoiceField;

const contentStatus = {
  kind: 'choice',
  values: ['draft', 'in_review', 'scheduled', 'published', 'archived'],
  default: 'draft',
  description: 'Stage of the item in its publication.',
  example: 'published',
} as const satisfies ChoiceField;

/** The resources whose records can be written. A new resource is an entry here and a migration. */
export const RECORDS = {
  audits: defineResource({
    name: 'audits',
    singular: 'audit',
    plural: 'audits',
    description: 'An audit of a company, with its headline score.',
    idPrefix: 'aud',
    fields: {
      id: { kind: 'id', description: 'Audit identifier.', example: 'aud_01jq4d1n8se0wr2h6y9zk3v5mc' },
      companyId,
      /** Integer from 0 to 100. */
      headlineScore: {
        kind: 'integer',
        min: 0,
        max: 100,
        description: 'Headline score of the audit.',
        example: 74,
      },
      completedAt: {
        kind: 'time',
        description: 'When the audit was completed.',
        example: '2026-03-01T09:30:00Z',
      },
    },
    company: 'companyId',
    sorts: { completed: 'completedAt', score: 'headlineScore' },
    filters: { companyId },
    counted: true,
    writes: ['create'],
  }),

  mentions: defineResource({
    name: 'mentions',
    singular: 'mention',
    plural: 'mentions',
    description: 'A place on the web that mentions a company.',
    idPrefix: 'men',
    fields: {
      id: { kind: 'id', description: 'Mention identifier.', example: 'men_01jq4d2a9vf8wt3j7z0xm4n6pd' },
      companyId,
      source,
      url: {
        kind: 'text',
        max: 2048,
        rule: 'url',
        description: 'Address of the mention.',
        example: 'https://news.example.com/a/17',
      },
      title: {
        kind: 'text',
        max: 500,
        description: 'Title of the mention.',
        example: 'Acme opens a second plant',
      },
      excerpt: {
        kind: 'text',
        min: 0,
        max: 5000,
        description: 'The text around the mention.',
        example: 'Acme said on Monday …',
      },
      sentiment,
      publishedAt: {
        kind: 'time',
        description: 'When the mention was published.',
        example: '2026-02-27T06:00:00Z',
      },
      createdAt,
    },
    company: 'companyId',
    sorts: { published: 'publishedAt' },
    filters: { companyId, source, sentiment },
    indexes: { created: [['companyId']], published: [['companyId']] },
    searched: ['title', 'url'],
    writes: ['create', 'update', 'delete'],
    server: ['createdAt'],
  }),

  content: defineResource({
    name: 'content',
    singular: 'content item',
    plural: 'content items',
    type: 'Content',
    description: 'A piece of content written about a company.',
    idPrefix: 'con',
    fields: {
      id: { kind: 'id', description: 'Content item identifier.', example: 'con_01jq4d3b7xe9ys4k8w1vn5r2qe' },
      companyId,
      title: { kind: 'text', max: 500, description: 'Title of the item.', example: 'How Acme saves water' },
      url: {
        kind: 'text',
        max: 2048,
        rule: 'url',
        nullable: true,
        description: 'Address where the item is published.',
        example: 'https://blog.example.com/water',
      },
      status: contentStatus,
      createdAt,
      updatedAt: {
        kind: 'time',
        description: 'When the item last changed.',
        example: '2026-03-02T08:00:00.000001Z',
      },
      publishedAt: {
        kind: 'time',
        nullable: true,
        description: 'When the item was published.',
        example: '2026-03-02T08:00:00Z',
      },
    },
    company: 'companyId',
    filters: { companyId, status: contentStatus },
    searched: ['title', 'url'],
    writes: ['create', 'update', 'delete'],
    server: ['createdAt', 'updatedAt'],
    optional: ['url', 'status', 'publishedAt'],
    transitions: {
      field: 'status',
      moves: {
        draft: ['in_review'],
        in_review: ['scheduled', 'published', 'draft'],
        scheduled: ['published', 'draft'],
        published: ['archived'],
        archived: ['draft'],
      },
      stamps: { published: 'publishedAt' },
    },
  }),

  companies: defineResource({
    name: 'companies',
    singular: 'company',
    plural: 'companies',
    description: 'A company that the workspace follows.',
    idPrefix: 'com',
    fields: {
      id: { kind: 'id', description: 'Company identifier.', example: 'com_01jq4d0e6tf3s9v2m8k5x7h1ab' },
      name: {
        kind: 'text',
        max: 200,
        rule: 'notBlank',
        description: 'Name of the company.',
        example: 'Acme',
      },
      domain: {
        kind: 'text',
        max: 253,
        rule: 'domain',
        nullable: true,
        description: 'Main domain of the company.',
        example: 'acme.example',
      },
      createdAt,
    },
    company: 'id',
    filters: {},
    searched: ['name', 'domain'],
    total: true,
    writes: ['create', 'update', 'delete'],
    server: ['createdAt'],
    optional: ['domain'],
  }),
} as const;

/** Every resource of the API. */
export const CONTRACT = {
  ...RECORDS,

  apiKeys,

  auditLog,

  changes: changesOf(Object.values(RECORDS)),
} as const;

export type Contract = typeof CONTRACT;
