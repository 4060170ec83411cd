import { describe, expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import { createTestDashboard } from '../../../test/harness/dashboard.ts';
import { createTestService } from '../../../test/harness/service.ts';
import type { Me, Workspace } from '../wire.ts';

const service = await createTestService();
const { pool } = service;
const dashboard = createTestDashboard(service);

const changes = async (workspaceId: string): Promise<readonly unknown[]> =>
  (
    await pool.query(
      `select doc::json ->> 'actor' as actor from audit_log where workspace_id = $1 and kind = 'quota.changed'`,
      [workspaceId],
    )
  ).rows;

describe('GET /me', () => {
  test('returns the person, and the workspaces by name, each with the role', async () => {
    const owner = await dashboard.owner();
    await owner.send('PATCH', `/workspaces/${owner.workspaceId}`, { name: 'Zeta' });
    const other = await dashboard.owner();
    await pool.query(
      `insert into members (workspace_id, user_id, id, role, created_at) values ($1, $2, 'mem_x', 'viewer', now())`,
      [other.workspaceId, owner.userId],
    );
    await other.send('PATCH', `/workspaces/${other.workspaceId}`, { name: 'Alpha' });
    expect((await owner.send('GET', '/me')).json<Me>()).toEqual({
      user: { id: owner.userId, email: owner.email, name: owner.email.split('@')[0] },
      workspaces: [
        { id: other.workspaceId, name: 'Alpha', role: 'viewer' },
        { id: owner.workspaceId, name: 'Zeta', role: 'owner' },
      ],
      deletedWorkspaces: [],
    });
  });
});

describe('a workspace', () => {
  test('returns the name, the limits and the role of the person', async () => {
    const owner = await dashboard.owner();
    const workspace = (await owner.send('GET', `/workspaces/${owner.workspaceId}`)).json<Workspace>();
    expect(workspace).toEqual({
      id: owner.workspaceId,
      name: 'Test',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      role: 'owner',
      liveQuota: null,
      burstLimit: null,
      secondFactorRequired: false,
    });
  });

  test('accepts limits from its owner, enforces them, and logs each change once', async () => {
    const owner = await dashboard.owner();
    const path = `/workspaces/${owner.workspaceId}`;
    const { token } = await service.issue(owner.workspaceId);
    const set = await owner.send('PATCH', path, { liveQuota: 1, burstLimit: 100 });
    expect(set.json()).toMatchObject({ name: 'Test', liveQuota: 1, burstLimit: 100 });
    expect(await changes(owner.workspaceId)).toEqual([{ actor: owner.email }]);
    expect((await service.request(token, '/v1/audits')).status).toBe(200);
    expect((await service.request(token, '/v1/audits')).status).toBe(429);

    // The same limits, and another name, are not a change of limits.
    await owner.send('PATCH', path, { liveQuota: 1, burstLimit: 100 });
    await owner.send('PATCH', path, { name: 'Renamed' });
    await owner.send('PATCH', path, {});
    expect(await changes(owner.workspaceId)).toHaveLength(1);

    const unset = await owner.send('PATCH', path, { liveQuota: null });
    expect(unset.json()).toMatchObject({ name: 'Renamed', liveQuota: null, burstLimit: 100 });
    expect(await changes(owner.workspaceId)).toHaveLength(2);
    expect((await service.request(token, '/v1/audits')).status).toBe(200);
  });

  test('refuses invalid limits and names, and changes nothing then', async () => {
    const owner = await dashboard.owner();
    const path = `/workspaces/${owner.workspaceId}`;
    const wrong: readonly (readonly [object, string])[] = [
      [{ liveQuota: -1 }, '"liveQuota" must be an integer from 0 to 1000000000000, or null.'],
      [{ liveQuota: 1.5 }, '"liveQuota" must be'],
      [{ liveQuota: '5' }, '"liveQuota" must be'],
      [{ liveQuota: 1e13 }, '"liveQuota" must be'],
      [{ burstLimit: 0 }, '"burstLimit" must be an integer from 1 to 1000000, or null.'],
      [{ name: 'Fine', burstLimit: 1_000_001 }, '"burstLimit" must be'],
      [{ name: '\t' }, '"name" must be'],
      [{ name: null }, '"name" must be'],
      [{ id: 'wks_1' }, 'Unknown field "id"'],
    ];
    for (const [body, message] of wrong) {
      const answer = await owner.send('PATCH', path, body);
      expect(answer.status, JSON.stringify(body)).toBe(400);
      expect(answer.json<{ error: { message: string } }>().error.message).toContain(message);
    }
    expect((await owner.send('GET', path)).json()).toMatchObject({ name: 'Test', liveQuota: null });
    expect(await changes(owner.workspaceId)).toEqual([]);
  });

  test('refuses a name that is not UTF-8, which would be stored as another name', async () => {
    const owner = await dashboard.owner();
    const path = `/workspaces/${owner.workspaceId}`;
    const options = {
      payload: Buffer.from('{"name":"\xe9t\xe9"}', 'latin1'),
      headers: { 'content-type': 'application/json' },
    };
    expectFailure(await owner.send('PATCH', path, undefined, options), 'invalid_body', 'UTF-8');
    expect((await owner.send('GET', path)).json()).toMatchObject({ name: 'Test' });
  });

  test('accepts the largest quota and stores it exactly', async () => {
    const owner = await dashboard.owner();
    const path = `/workspaces/${owner.workspaceId}`;
    expect((await owner.send('PATCH', path, { liveQuota: 1e12 })).json()).toMatchObject({ liveQuota: 1e12 });
    expect((await owner.send('PATCH', path, { liveQuota: 0 })).json()).toMatchObject({ liveQuota: 0 });
  });
});

describe('the month of a workspace', () => {
  test('has the live requests so far, and the quota', async () => {
    const owner = await dashboard.owner();
    const live = await service.issue(owner.workspaceId);
    const sandbox = await service.issue(owner.workspaceId, { mode: 'test' });
    for (const url of ['/v1/audits', '/v1/audits', '/v1/nothing']) await service.request(live.token, url);
    await service.request(sandbox.token, '/v1/audits?limit=0');
    await owner.send('PATCH', `/workspaces/${owner.workspaceId}`, { liveQuota: 100 });
    const { rows } = await pool.query<{ month: string }>(`select to_char(now(), 'YYYY-MM') as month`);
    expect((await owner.send('GET', `/workspaces/${owner.workspaceId}/month`)).json()).toEqual({
      startsAt: `${rows[0]?.month}-01T00:00:00.000000Z`,
      endsAt: expect.stringMatching(/^\d{4}-\d\d-01T00:00:00\.000000Z$/),
      used: 3,
      limit: 100,
    });
  });

  test('starts at zero, without a limit', async () => {
    const owner = await dashboard.owner();
    const month = (await owner.send('GET', `/workspaces/${owner.workspaceId}/month`)).json();
    expect(month).toMatchObject({ used: 0, limit: null });
  });
});
