import { expect, test } from 'vitest';
import { createTestDashboard } from '../../../test/harness/dashboard.ts';
import { waitingForLocks } from '../../../test/harness/locks.ts';
import { createTestService, type TestAnswer } from '../../../test/harness/service.ts';

const service = await createTestService();
const { pool } = service;
const dashboard = createTestDashboard(service);
/** In one process, the changes of a workspace take turns. */
const elsewhere = createTestDashboard(await createTestService({ database: service.database }));

type Owner = Awaited<ReturnType<typeof dashboard.owner>>;
const remove = ({ workspaceId, cookie }: Owner) =>
  elsewhere.nobody.send('DELETE', `/workspaces/${workspaceId}`, { name: 'Test' }, { headers: { cookie } });
const restore = ({ workspaceId, send }: Owner) => send('POST', `/workspaces/${workspaceId}/restore`, {});

const addEndpoints = (workspaceId: string) =>
  pool.query(
    `insert into webhook_endpoints (workspace_id, id, url, description, ordered, secret, position, enabled, disabled_reason, failing_since)
     values ($1, 'whe_on', 'https://receiver.example', '', true, '', '', true, null, now()),
       ($1, 'whe_off', 'https://receiver.example', '', true, '', '', false, 'person', null)`,
    [workspaceId],
  );
const enabledEndpoints = async (workspaceId: string): Promise<readonly object[]> => {
  const { rows } = await pool.query<object>(
    'select id, failing_since from webhook_endpoints where workspace_id = $1 and enabled',
    [workspaceId],
  );
  return rows;
};

test('a deleted workspace stops its webhooks, and resumes those that were enabled, without the failures of before', async () => {
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  await addEndpoints(workspaceId);
  await remove(owner);
  expect(await enabledEndpoints(workspaceId)).toEqual([]);
  await restore(owner);
  expect(await enabledEndpoints(workspaceId)).toEqual([{ id: 'whe_on', failing_since: null }]);
});

test('a deleted workspace stops a webhook that is enabled at the same moment', async () => {
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const admin = await dashboard.member(workspaceId, 'admin');
  await addEndpoints(workspaceId);
  const holder = await pool.connect();
  let answers: Promise<readonly TestAnswer[]>;
  try {
    await holder.query('begin');
    await holder.query(
      `select from webhook_endpoints where workspace_id = $1 and id = 'whe_off' for update`,
      [workspaceId],
    );
    const enabling = admin.send('PATCH', `/workspaces/${workspaceId}/webhooks/whe_off`, { enabled: true });
    await expect.poll(() => waitingForLocks(pool)).toBe(1);
    answers = Promise.all([enabling, remove(owner)]);
    await expect.poll(() => waitingForLocks(pool)).toBe(2);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  expect((await answers).map(({ status }) => status)).toEqual([200, 200]);
  expect(await enabledEndpoints(workspaceId)).toEqual([]);
});
