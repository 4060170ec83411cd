import { AUDIT_LOG_KINDS, type AuditLogKind } from './audit-log-kinds.ts';
import { defineResource } from './resource.ts';
import type { ApiKey, Audit, AuditLogEntry, Company, Content, Mention } from './wire.ts';

/**
 * Every resource of the API, by its property name in the client. Methods, types, commands, help and completion are
 * derived from this table. A test compares it with the declarations of the service.
 */
export const RESOURCES = {
  audits: defineResource<Audit>()({
    name: 'audits',
    singular: 'audit',
    fields: { id: 'text', companyId: 'text', headlineScore: 'integer', completedAt: 'time' },
    sorts: { completed: 'completedAt', score: 'headlineScore' },
    filters: { companyId: 'id' },
    counted: true,
    writes: ['create'],
  }),
  mentions: defineResource<Mention>()({
    name: 'mentions',
    singular: 'mention',
    fields: {
      id: 'text',
      companyId: 'text',
      source: 'text',
      url: 'text',
      title: 'text',
      excerpt: 'text',
      sentiment: 'text',
      publishedAt: 'time',
      createdAt: 'time',
    },
    sorts: { published: 'publishedAt' },
    filters: { companyId: 'id' },
    writes: ['create', 'update', 'delete'],
    server: ['createdAt'],
  }),
  content: defineResource<Content>()({
    name: 'content',
    singular: 'content item',
    fields: {
      id: 'text',
      companyId: 'text',
      title: 'text',
      url: 'text',
      status: 'text',
      createdAt: 'time',
      updatedAt: 'time',
      publishedAt: 'time',
    },
    filters: { companyId: 'id', status: ['draft', 'in_review', 'scheduled', 'published', 'archived'] },
    writes: ['create', 'update', 'delete'],
    server: ['createdAt', 'updatedAt'],
    optional: ['url', 'status', 'publishedAt'],
  }),
  companies: defineResource<Company>()({
    name: 'companies',
    singular: 'company',
    fields: { id: 'text', name: 'text', domain: 'text', createdAt: 'time' },
    filters: {},
    writes: ['create', 'update', 'delete'],
    server: ['createdAt'],
    optional: ['domain'],
  }),
  apiKeys: defineResource<ApiKey>()({
    name: 'api-keys',
    singular: 'API key',
    fields: {
      id: 'text',
      name: 'text',
      mode: 'text',
      hint: 'text',
      access: 'text',
      companyId: 'text',
      createdAt: 'time',
      lastUsedAt: 'time',
      revokedAt: 'time',
    },
    filters: { status: ['active', 'revoked'] },
  }),
  auditLog: defineResource<AuditLogEntry>()({
    name: 'audit-log',
    singular: 'audit-log entry',
    fields: {
      id: 'text',
      kind: 'text',
      createdAt: 'time',
      keyId: 'text',
      actor: 'text',
      requestId: 'text',
      method: 'text',
      path: 'text',
      status: 'integer',
      durationMs: 'integer',
      ip: 'text',
      userAgent: 'text',
      recordIds: 'text',
      resource: 'text',
      records: 'integer',
      targetType: 'text',
      targetId: 'text',
      targetLabel: 'text',
      details: 'text',
      changes: 'text',
    },
    filters: {
      kind: Object.keys(AUDIT_LOG_KINDS) as readonly AuditLogKind[],
    },
  }),
} as const;

export type Resources = typeof RESOURCES;
