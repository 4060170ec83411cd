import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import { createTestDashboard, type TestDashboard } from '../../../test/harness/dashboard.ts';
import { createTestService, type TestService } from '../../../test/harness/service.ts';
import type { Me, Workspace } from '../wire.ts';

let service: TestService;
let dashboard: TestDashboard;
beforeAll(async () => {
  service = await createTestService();
  dashboard = createTestDashboard(service);
});

describe('another workspace', () => {
  test('is created by an owner, who owns both workspaces', async () => {
    const owner = await dashboard.owner();
    const created = await owner.send('POST', '/workspaces', { name: 'Second' });
    expect(created.status).toBe(201);
    const { id } = created.json<Workspace>();
    expect(created.json()).toMatchObject({
      name: 'Second',
      role: 'owner',
      liveQuota: null,
      burstLimit: null,
    });
    expect((await owner.send('GET', '/me')).json<Me>().workspaces).toEqual([
      { id, name: 'Second', role: 'owner' },
      { id: owner.workspaceId, name: 'Test', role: 'owner' },
    ]);
    expectFailure(await (await dashboard.owner()).send('GET', `/workspaces/${id}`), 'not_found');
  });

  test('is limited in number per person, also with requests at the same time', async () => {
    const owner = await dashboard.owner();
    await service.pool.query(
      `with created as (
         insert into workspaces (id, name, created_at) select 'wks_' || $1 || n, 'Many', now() from generate_series(1, 98) n
         returning id
       )
       insert into members (workspace_id, user_id, id, role, created_at)
       select id, $1, gen_random_uuid(), 'owner', now() from created`,
      [owner.userId],
    );
    const answers = await Promise.all(
      [1, 2, 3].map(() => owner.send('POST', '/workspaces', { name: 'More' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.text).toContain('at most');
  });

  test('is hidden from its creator after removal, also in a repeat', async () => {
    const [maker, other] = [await dashboard.owner(), await dashboard.owner()];
    const send = () =>
      maker.send('POST', '/workspaces', { name: 'Shared' }, { headers: { 'idempotency-key': 'form-1' } });
    const { id } = (await send()).json<Workspace>();
    expect((await send()).json()).toMatchObject({ id, role: 'owner' });
    await service.pool.query(`update members set role = 'viewer' where workspace_id = $1`, [id]);
    expect((await send()).json()).toMatchObject({ id, role: 'viewer' });
    await service.pool.query('update members set user_id = $2 where workspace_id = $1', [id, other.userId]);
    await other.send('PATCH', `/workspaces/${id}`, { name: 'Not for the maker' });
    expectFailure(await send(), 'not_found');
  });

  test('cannot be created by a person who owns none', async () => {
    const owner = await dashboard.owner();
    const admin = await dashboard.member(owner.workspaceId, 'admin');
    await service.pool.query(`delete from members where user_id = $1 and role = 'owner'`, [admin.userId]);
    expectFailure(await admin.send('POST', '/workspaces', { name: 'Mine' }), 'insufficient_scope');
    expectFailure(await dashboard.nobody.send('POST', '/workspaces', { name: 'Mine' }), 'not_signed_in');
    expectFailure(await owner.send('POST', '/workspaces', { name: ' ' }), 'invalid_body');
  });
});

test('the settings of the operator are visible only in a session', async () => {
  const owner = await dashboard.owner();
  expect((await owner.send('GET', '/deployment')).json()).toEqual({ logRetentionDays: 400 });
  expectFailure(await dashboard.nobody.send('GET', '/deployment'), 'not_signed_in');
});
