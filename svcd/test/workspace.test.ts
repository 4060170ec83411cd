import { runSvcd } from '@svc/service/harness/process.ts';
import { bearer, connectEmbedded, startRunningService } from '@svc/service/harness/running-service.ts';
import { expect, test } from 'vitest';

test('svcd workspace restores a deleted workspace within seven days, while the service runs and without it', async () => {
  const { service, env, workspaceId, dashboard, key } = await startRunningService();
  const client = await connectEmbedded(env['SVC_DATA_DIR'] ?? '');
  const keyStatus = async () =>
    (await fetch(`${service.url}/v1/companies`, { headers: bearer(key.token) })).status;
  const workspace = (...args: readonly string[]) => runSvcd(['workspace', ...args], { env });
  const remove = async () => {
    const answer = await fetch(`${service.url}/dashboard/api/workspaces/${workspaceId}`, {
      method: 'DELETE',
      headers: { ...dashboard.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Test' }),
    });
    return (await answer.json()) as { readonly removedAt: string };
  };
  const { id: other } = await dashboard.post<{ id: string }>('/workspaces', { name: 'Other "one"' });

  const early = await workspace('restore', workspaceId);
  expect([early.code, early.stderr]).toEqual([
    1,
    expect.stringContaining(`${workspaceId} ("Test") is not deleted`),
  ]);
  expect(await keyStatus()).toBe(200);
  const { removedAt } = await remove();
  expect(await keyStatus()).toBe(401);

  const all = (await workspace('list')).stdout;
  expect(all).toContain(`${other}: "Other \\"one\\""\n`);
  const listed = (await workspace('list', '--deleted', '--json')).stdout;
  expect(JSON.parse(listed)).toEqual({
    id: workspaceId,
    name: 'Test',
    deletedAt: expect.any(String),
    removedAt,
  });
  expect((await workspace('list', '--deleted')).stdout).toMatch(
    new RegExp(`^${workspaceId}: "Test" \\[deleted .+Z, data is removed from ${removedAt}\\]\n$`),
  );

  const restored = await workspace('restore', workspaceId);
  expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining('"Test"')]);
  expect(await keyStatus()).toBe(200);
  expect((await workspace('list', '--deleted')).stdout).toBe('');
  const { rows } = await client.query(
    `select kind, actor from audit_log where workspace_id = $1 and kind like 'workspace.%ed' order by created_at`,
    [workspaceId],
  );
  expect(rows.slice(-2)).toEqual([
    { kind: 'workspace.deleted', actor: 'owner@example.com' },
    { kind: 'workspace.restored', actor: null },
  ]);

  await remove();
  const age = (days: string) =>
    client.query('update workspaces set deleted_at = now() - $2::interval where id = $1', [
      workspaceId,
      days,
    ]);
  await age('7 days 1 second');
  const late = await workspace('restore', workspaceId);
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('can no longer be restored')]);
  expect(await keyStatus()).toBe(401);
  await age('6 days');
  for (const unknown of ['wks_01h455vb4pex5vsknk084sn02q', 'no such id']) {
    const refused = await workspace('restore', unknown);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`there is no workspace ${unknown}`),
    ]);
  }
  const misused = await workspace('restore');
  expect([misused.code, misused.stderr]).toEqual([
    2,
    expect.stringContaining("missing required argument 'id'"),
  ]);

  await service.stop();
  expect((await workspace('restore', workspaceId)).code).toBe(0);
  expect((await workspace('list', '--deleted')).stdout).toBe('');
});
