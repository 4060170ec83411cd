import { randomUUID } from 'node:crypto';
import type { TestDashboard, Visitor } from '../harness/dashboard.ts';
import type { TestAnswer, TestService } from '../harness/service.ts';

/** A workspace with an owner at the dashboard, keys, a member and records. */
export interface Tenant {
  readonly owner: Visitor & { readonly workspaceId: string };
  readonly workspaceId: string;
  readonly token: string;
  readonly keyId: string;
  readonly viewerId: string;
  readonly companyId: string;
}

export const IDEMPOTENCY_KEY = 'the-same-again';

export async function createTenant(service: TestService, dashboard: TestDashboard): Promise<Tenant> {
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const { token, keyId } = await service.issue(workspaceId, { access: 'write' });
  const viewer = await dashboard.member(workspaceId, 'viewer');
  const { rows } = await service.pool.query<{ id: string }>(
    'select id from members where workspace_id = $1 and user_id = $2',
    [workspaceId, viewer.userId],
  );
  const company = await service.request(token, '/v1/companies', {
    method: 'POST',
    payload: { name: 'Acme' },
  });
  const companyId = company.json<{ id: string }>().id;
  const audit = { companyId, headlineScore: 1, completedAt: '2026-03-01T09:30:00Z' };
  const created = await service.request(token, '/v1/audits', { method: 'POST', payload: audit });
  if (created.status !== 201) throw new Error(created.text);
  return { owner, workspaceId, token, keyId, viewerId: rows[0]?.id ?? '', companyId };
}

type Call = (tenant: Tenant, node: TestService) => Promise<TestAnswer>;

const atDashboard =
  (
    method: 'GET' | 'POST' | 'PATCH',
    path: (tenant: Tenant) => string,
    body?: (tenant: Tenant) => unknown,
  ): Call =>
  (tenant) =>
    tenant.owner.send(method, `/workspaces/${tenant.workspaceId}${path(tenant)}`, body?.(tenant), {
      headers: { 'idempotency-key': randomUUID() },
    });

/** What a workspace does: every kind of read, write and dashboard call. */
export const CALLS: Readonly<Record<string, Call>> = {
  'a list': ({ token }, node) => node.request(token, '/v1/audits'),
  'a record': ({ token, companyId }, node) => node.request(token, `/v1/companies/${companyId}`),
  'the keys': ({ token }, node) => node.request(token, '/v1/api-keys'),
  'the audit log': ({ token }, node) => node.request(token, '/v1/audit-log'),
  'an exact count': ({ token }, node) => node.request(token, '/v1/audits/count'),
  'an approximate count': ({ token }, node) => node.request(token, '/v1/audits/count?approximate=true'),
  'a create': ({ token }, node) =>
    node.request(token, '/v1/companies', {
      method: 'POST',
      payload: { name: 'Acme' },
      headers: { 'idempotency-key': IDEMPOTENCY_KEY },
    }),
  'a change': ({ token, companyId }, node) =>
    node.request(token, `/v1/companies/${companyId}`, {
      method: 'PATCH',
      payload: { name: String(Math.random()) },
    }),
  'who is signed in': ({ owner }) => owner.send('GET', '/me'),
  'the dashboard: keys': atDashboard('GET', () => '/keys'),
  'the dashboard: members': atDashboard('GET', () => '/members'),
  'the dashboard: audits': atDashboard('GET', () => '/data/audits'),
  'the dashboard: the log, filtered': atDashboard('GET', () => '/log?statusMin=500'),
  'the dashboard: the log as a file': atDashboard('GET', () => '/log/export?format=csv'),
  'the dashboard: the overview': atDashboard('GET', () => '/overview'),
  'the dashboard: scores': atDashboard('GET', () => '/scores'),
  'the dashboard: traffic': atDashboard('GET', () => '/traffic'),
  'the dashboard: the quota of the month': atDashboard('GET', () => '/month'),
  'the dashboard: usage': atDashboard('GET', ({ keyId }) => `/keys/${keyId}/usage`),
  'the dashboard: a search': atDashboard('GET', () => '/company-names?search=acme'),
  'the dashboard: a new key': atDashboard(
    'POST',
    () => '/keys',
    () => ({ name: 'new', mode: 'live', access: 'read', companyId: null }),
  ),
  'the dashboard: a key is rotated': atDashboard(
    'POST',
    ({ keyId }) => `/keys/${keyId}/rotate`,
    () => ({}),
  ),
  'the dashboard: a record is changed': atDashboard(
    'PATCH',
    ({ companyId }) => `/data/companies/${companyId}`,
    () => ({ name: String(Math.random()) }),
  ),
  'the dashboard: an import': ({ owner, workspaceId }) =>
    owner.send('POST', `/workspaces/${workspaceId}/imports/companies`, undefined, {
      payload: '{"name":"Acme"}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    }),
  'the dashboard: limits': atDashboard(
    'PATCH',
    () => '',
    () => ({ liveQuota: 1_000_000 + Math.floor(Math.random() * 1_000_000) }),
  ),
  'the dashboard: a member': atDashboard(
    'PATCH',
    ({ viewerId }) => `/members/${viewerId}`,
    () => ({ role: Math.random() < 0.5 ? 'admin' : 'viewer' }),
  ),
  'the dashboard: an invitation': atDashboard(
    'POST',
    () => '/invitations',
    () => ({ email: `${Math.random().toString(36).slice(2)}@example.com`, role: 'viewer' }),
  ),
};
