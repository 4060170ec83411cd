import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { createTestDashboard } from '../harness/dashboard.ts';
import { waitingForLocks } from '../harness/locks.ts';
import { createTestService } from '../harness/service.ts';
import { methodOf } from './change.ts';
import { CHANGES } from './changes.ts';
import { openProvider } from './openid.ts';

const provider = await openProvider();
const service = await createTestService();
const dashboard = createTestDashboard(service);

/** It changes nothing, so it locks no member. */
const DRY_RUN = 'POST /workspaces/:workspaceId/explorer';
/** Requests that need a role in a workspace. */
const GUARDED = Object.entries(CHANGES).filter(
  ([route]) => route.includes(' /workspaces') && route !== DRY_RUN,
);
/** Every member may do this. */
const FOR_ALL = ['GET /workspaces/:workspaceId/log/export'];

const LOSSES = {
  demoted: `update members set role = 'viewer' where user_id = $1`,
  removed: 'delete from members where user_id = $1',
} as const;

const CASES = GUARDED.flatMap(([route, prepare]) =>
  (['demoted', 'removed'] as const)
    .filter((loss) => loss === 'removed' || !FOR_ALL.includes(route))
    .map((loss) => [route, loss, prepare] as const),
);

/** The data of the workspace that the request must not change. */
async function stateOf(workspaceId: string | undefined): Promise<unknown> {
  // One by one, because a cluster runs no statement with subqueries of so many tables.
  return Promise.all(
    STATE.map(async (query) => (await service.pool.query(query, [workspaceId ?? null])).rows),
  );
}

const STATE = [
  'select l.doc from audit_log l where l.workspace_id = $1 order by l.created_at',
  `select k.doc::jsonb - 'lastUsedAt' as doc from api_key_records k where k.workspace_id = $1 order by k.id`,
  'select c.doc from companies c where c.workspace_id = $1 order by c.id',
  'select d.* from webhook_deliveries d where d.workspace_id = $1 order by d.event_id',
  'select e.* from webhook_endpoints e where e.workspace_id = $1 order by e.id',
  'select i.status from invitations i where i.workspace_id = $1 order by i.id',
  'select w.name, w.burst_limit from workspaces w where w.id = $1',
  'select count(*) as workspaces, $1::text from workspaces',
];

describe('a person who loses their role while their request is served cannot act', () => {
  test.each(CASES)('%s, %s', async (route, loss, prepare) => {
    const { as, workspaceId, path, body, options } = await prepare({ service, dashboard, provider });
    const before = await stateOf(workspaceId);
    const { database } = service;
    // Another node changes the member, and commits when the request waits for the lock on the member.
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    try {
      await holder.query('begin');
      await holder.query(LOSSES[loss], [as.userId]);
      const answer = as.send(methodOf(route), path, body, options);
      await expect.poll(() => waitingForLocks(service.pool)).toBe(1);
      await holder.query('commit');
      const { status } = await answer;
      expect(status).toBe(loss === 'demoted' || route === 'POST /workspaces' ? 403 : 404);
    } finally {
      await holder.end();
    }
    expect(await stateOf(workspaceId)).toEqual(before);
  });
});
