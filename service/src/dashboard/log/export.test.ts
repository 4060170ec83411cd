import { expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import { createTestDashboard } from '../../../test/harness/dashboard.ts';
import { createTestService } from '../../../test/harness/service.ts';

const service = await createTestService();
const owner = await createTestDashboard(service).owner();

test('a fourth export of the log of a workspace is refused, and allowed once another one has ended', async () => {
  const exported = () => owner.send('GET', `/workspaces/${owner.workspaceId}/log/export?format=csv`);
  const holder = await service.pool.connect();
  await holder.query('begin');
  await holder.query('select 1 from live_meters where workspace_id = $1 for update', [owner.workspaceId]);
  // Three wait for the lock, to append their entries.
  const answers = [1, 2, 3, 4].map(exported);
  const first = await Promise.race(answers);
  await holder.query('rollback');
  holder.release();
  expectFailure(first, 'rate_limited', 'At most 3 exports of this workspace');
  expect((await Promise.all(answers)).map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 429]);
  await expect.poll(async () => (await exported()).status).toBe(200);
});
