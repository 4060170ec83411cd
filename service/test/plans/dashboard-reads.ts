import type { World } from '../dashboard/change.ts';
import { COMPANY } from '../harness/lists.ts';
import type { Request } from './more-writes.ts';
import { COMMON_WORD, RECORD_LISTS } from './shapes.ts';
import { FULL_ENDPOINT } from './states.ts';

const WEBHOOK_READS = [
  '',
  '/deliveries',
  '/deliveries?state=failed',
  '/deliveries?state=pending&type=audit.created',
  '/deliveries?type=endpoint.test',
  '/deliveries?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z',
  '/deliveries?state=delivered&direction=before',
  '/deliveries/chg_00000008',
  '/plot?range=30d',
];

/** Requests of the dashboard that only read. */
export async function dashboardReads(world: World, workspaceId: string): Promise<readonly Request[]> {
  const owner = await world.dashboard.owner();
  const { rows } = await world.service.pool.query<{ id: string }>(
    'select id from audit_log where workspace_id = $1 limit 1',
    [workspaceId],
  );
  const { keyId } = await world.service.issue(workspaceId);
  const below = [
    '',
    '/overview',
    '/month',
    '/traffic',
    '/scores',
    '/keys',
    `/keys/${keyId}`,
    `/keys/${keyId}/usage?days=400`,
    '/key-notices',
    '/members',
    '/invitations',
    '/webhooks',
    ...WEBHOOK_READS.map((rest) => `/webhooks/${FULL_ENDPOINT}${rest}`),
    '/log',
  ];
  const more = [
    `/log/${rows[0]?.id}`,
    '/log?kind=key.created',
    '/log?ip=192.0.2.99',
    '/log?kind=api.request&pathPrefix=/none',
    '/keys?status=revoked',
    '/data/audits/count',
    `/data/audits/count?companyId=${COMPANY}`,
    `/company-names?ids=${COMPANY}`,
    '/company-names',
    '/company-names?search=nobody',
    ...['nobody', 'rarely', COMMON_WORD, `${COMMON_WORD} r`, 'https://example.com/', '%'].map(
      (q) => `/search?${new URLSearchParams({ q })}`,
    ),
    '/scores?range=1y',
    `/scores?companyId=${COMPANY}`,
  ];
  const changed = await world.service.pool.query<{ content: string; audit: string }>(
    `select (select min(id) from content where workspace_id = $1) as content,
      (select min(id) from audits where workspace_id = $1) as audit`,
    [workspaceId],
  );
  const [{ content, audit } = {}] = changed.rows;
  const records = [`companies/${COMPANY}`, `content/${content}`, `audits/${audit}`];
  const data = [...RECORD_LISTS, `companies/${COMPANY}`, ...records.map((record) => `${record}/history`)].map(
    (each) => `/data/${each}`,
  );
  const paths = [...below, ...more, ...data].map((path) => `/workspaces/${workspaceId}${path}`);
  return ['/me', '/auth/methods', '/auth/list-sessions', ...paths].map((path) => ({
    what: `GET ${path}`,
    send: () => owner.send('GET', path),
  }));
}
