import { waitFor } from '@svc/embedded-postgres/testing';
import { describe, expect, test } from 'vitest';
import {
  createTestDashboard,
  newEmail,
  PASSWORD,
  type TestDashboard,
  tokenOf,
  type Visitor,
} from '../../../test/harness/dashboard.ts';
import { waitingForLocks } from '../../../test/harness/locks.ts';
import { createTestService, type TestAnswer } from '../../../test/harness/service.ts';
import type { Invitation, Member } from '../wire.ts';

const { pool, app } = await createTestService();
const dashboard = createTestDashboard({ pool, app });

type Owner = Awaited<ReturnType<TestDashboard['owner']>>;
type Role = Parameters<TestDashboard['member']>[1];

const invite = async (by: Visitor, workspaceId: string, role: Role, email = newEmail()): Promise<string> => {
  const answer = await by.send('POST', `/workspaces/${workspaceId}/invitations`, { email, role });
  return tokenOf(answer.json<{ link: string }>().link);
};
const accept = (token: string): Promise<TestAnswer> =>
  dashboard.nobody.send('POST', '/invitations/accept', { token, name: 'Bea', password: PASSWORD });
const read = (token: string): Promise<TestAnswer> =>
  dashboard.nobody.send('POST', '/invitations/read', { token });

async function pathOf(owner: Owner, { userId }: Visitor): Promise<string> {
  const path = `/workspaces/${owner.workspaceId}/members`;
  const members = (await owner.send('GET', path)).json<{ data: Member[] }>().data;
  return `${path}/${members.find((member) => member.userId === userId)?.id}`;
}

const pendingOf = async (owner: Owner): Promise<readonly string[]> =>
  (await owner.send('GET', `/workspaces/${owner.workspaceId}/invitations`))
    .json<{ data: Invitation[] }>()
    .data.map(({ role }) => role);

describe('the invitations of a member', () => {
  test.each<[how: string, end: (owner: Owner, admin: Visitor) => Promise<TestAnswer>]>([
    ['is removed', async (owner, admin) => owner.send('DELETE', await pathOf(owner, admin))],
    ['leaves', async (owner, admin) => admin.send('DELETE', await pathOf(owner, admin))],
    [
      'may no longer invite',
      async (owner, admin) => owner.send('PATCH', await pathOf(owner, admin), { role: 'viewer' }),
    ],
  ])('end when the member %s, and others do not', async (_, end) => {
    const owner = await dashboard.owner();
    const admin = await dashboard.member(owner.workspaceId, 'admin');
    const theirs = await invite(admin, owner.workspaceId, 'admin');
    const others = await invite(owner, owner.workspaceId, 'viewer');
    const elsewhere = await dashboard.owner();
    await pool.query(
      `insert into members (workspace_id, user_id, id, role, created_at) values ($1, $2, $2, 'admin', now())`,
      [elsewhere.workspaceId, admin.userId],
    );
    const there = await invite(admin, elsewhere.workspaceId, 'viewer');
    expect((await end(owner, admin)).status).toBeLessThan(300);
    expect(await pendingOf(owner)).toEqual(['viewer']);
    expect((await read(theirs)).status).toBe(400);
    expect((await accept(theirs)).status).toBe(400);
    expect((await accept(others)).status).toBe(200);
    expect((await accept(there)).status).toBe(200);
    expect((await pool.query(`select 1 from one_time_links where purpose = 'invitation'`)).rowCount).toBe(0);
  });

  test('for owners end when the member becomes an admin, and the others stay', async () => {
    const owner = await dashboard.owner();
    const second = await dashboard.member(owner.workspaceId, 'owner');
    const asOwner = await invite(second, owner.workspaceId, 'owner');
    const asAdmin = await invite(second, owner.workspaceId, 'admin');
    await owner.send('PATCH', await pathOf(owner, second), { role: 'admin' });
    expect(await pendingOf(owner)).toEqual(['admin']);
    expect((await accept(asOwner)).status).toBe(400);
    expect((await accept(asAdmin)).status).toBe(200);
  });

  test('are refused if the database changed the role without the dashboard', async () => {
    const owner = await dashboard.owner();
    const [gone, viewer] = [
      await dashboard.member(owner.workspaceId, 'admin'),
      await dashboard.member(owner.workspaceId, 'admin'),
    ];
    const tokens = [
      await invite(gone, owner.workspaceId, 'viewer'),
      await invite(viewer, owner.workspaceId, 'viewer'),
    ];
    await pool.query('delete from members where user_id = $1 and workspace_id = $2', [
      gone.userId,
      owner.workspaceId,
    ]);
    await pool.query(`update members set role = 'viewer' where user_id = $1 and workspace_id = $2`, [
      viewer.userId,
      owner.workspaceId,
    ]);
    for (const token of tokens) {
      expect((await read(token)).status).toBe(400);
      expect((await accept(token)).status).toBe(400);
    }
  });

  test('are refused if they are accepted while the member is being removed', async () => {
    const owner = await dashboard.owner();
    const admin = await dashboard.member(owner.workspaceId, 'admin');
    const token = await invite(admin, owner.workspaceId, 'admin');
    const path = await pathOf(owner, admin);
    // Lock the clock of the log, so that the removal waits while it holds the lock on the members.
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query('select 1 from live_meters where workspace_id = $1 for update', [owner.workspaceId]);
      const removed = owner.send('DELETE', path);
      const waiting = (count: number): Promise<void> =>
        waitFor(async () => expect(await waitingForLocks(pool)).toBe(count));
      await waiting(1);
      const accepted = accept(token);
      await waiting(2);
      await client.query('commit');
      expect((await removed).status).toBe(204);
      expect((await accepted).status).toBe(400);
    } finally {
      client.release();
    }
  });
});

test('an invitation to the address of a removed member ends with the membership', async () => {
  const owner = await dashboard.owner();
  const email = newEmail();
  const token = await invite(owner, owner.workspaceId, 'admin', email);
  const { userId } = await dashboard.bootstrap(email);
  await pool.query(
    `insert into members (workspace_id, user_id, id, role, created_at) values ($1, $2, $2, 'viewer', now())`,
    [owner.workspaceId, userId],
  );
  const visitor = await dashboard.signIn(userId, email);
  await owner.send('DELETE', await pathOf(owner, visitor));
  expect(await pendingOf(owner)).toEqual([]);
  expect((await visitor.send('POST', '/invitations/accept', { token })).status).toBe(400);
});
