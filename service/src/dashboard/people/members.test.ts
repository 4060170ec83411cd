import { describe, expect, test } from 'vitest';
import {
  createTestDashboard,
  newEmail,
  PASSWORD,
  PUBLIC_URL,
  sessionCookie,
  tokenOf,
  type Visitor,
} from '../../../test/harness/dashboard.ts';
import { createTestService, type TestAnswer } from '../../../test/harness/service.ts';
import type { Invitation, InvitationOffer, Me, Member } from '../wire.ts';

const service = await createTestService();
const { pool } = service;
const dashboard = createTestDashboard(service);
const { nobody } = dashboard;

type Owner = Awaited<ReturnType<typeof dashboard.owner>>;

const membersOf = async (visitor: Visitor, workspaceId: string): Promise<readonly Member[]> =>
  (await visitor.send('GET', `/workspaces/${workspaceId}/members`)).json<{ data: Member[] }>().data;
const memberId = async (owner: Owner, { userId }: Visitor): Promise<string> =>
  (await membersOf(owner, owner.workspaceId)).find((member) => member.userId === userId)?.id ?? 'none';
const pathOf = (owner: Owner, id: string): string => `/workspaces/${owner.workspaceId}/members/${id}`;
const logged = async (workspaceId: string): Promise<readonly unknown[]> =>
  (
    await pool.query(
      `select kind, doc::json ->> 'actor' as actor from audit_log
       where workspace_id = $1 and kind like 'member.%' order by created_at`,
      [workspaceId],
    )
  ).rows;
const code = (answer: TestAnswer): string => answer.json<{ error: { code: string } }>().error.code;
const message = (answer: TestAnswer): string => answer.json<{ error: { message: string } }>().error.message;

const invite = (by: Visitor, workspaceId: string, email: string, role = 'viewer') =>
  by.send('POST', `/workspaces/${workspaceId}/invitations`, { email, role });
const invitedToken = async (owner: Owner, email: string, role = 'viewer'): Promise<string> =>
  tokenOf((await invite(owner, owner.workspaceId, email, role)).json<{ link: string }>().link);
const accept = (visitor: Visitor, token: string, body: object = { name: 'Bea', password: PASSWORD }) =>
  visitor.send('POST', '/invitations/accept', { token, ...body });

describe('members', () => {
  test('are listed in the order in which they joined', async () => {
    const owner = await dashboard.owner();
    const admin = await dashboard.member(owner.workspaceId, 'admin');
    expect(await membersOf(admin, owner.workspaceId)).toMatchObject([
      { userId: owner.userId, email: owner.email, role: 'owner' },
      { userId: admin.userId, email: admin.email, role: 'admin' },
    ]);
  });

  test('get another role or are removed, and the log names who did it', async () => {
    const owner = await dashboard.owner();
    const other = await dashboard.member(owner.workspaceId, 'viewer');
    const path = pathOf(owner, await memberId(owner, other));
    // The second change changes nothing.
    for (const _ of ['first', 'second'])
      expect((await owner.send('PATCH', path, { role: 'admin' })).json()).toMatchObject({ role: 'admin' });
    expect((await owner.send('DELETE', path)).status).toBe(204);
    expect(await membersOf(owner, owner.workspaceId)).toHaveLength(1);
    expect(await logged(owner.workspaceId)).toEqual([
      { kind: 'member.role_changed', actor: owner.email },
      { kind: 'member.removed', actor: owner.email },
    ]);
  });

  test('may leave with any role, which is logged', async () => {
    const owner = await dashboard.owner();
    const viewer = await dashboard.member(owner.workspaceId, 'viewer');
    const path = pathOf(owner, await memberId(owner, viewer));
    expect((await viewer.send('DELETE', path)).status).toBe(204);
    expect((await viewer.send('GET', `/workspaces/${owner.workspaceId}`)).status).toBe(404);
    expect(await logged(owner.workspaceId)).toEqual([{ kind: 'member.removed', actor: viewer.email }]);
  });

  test('are not changed if the change cannot be logged', async () => {
    const owner = await dashboard.owner();
    const viewer = await dashboard.member(owner.workspaceId, 'viewer');
    const path = pathOf(owner, await memberId(owner, viewer));
    await pool.query('delete from live_meters where workspace_id = $1', [owner.workspaceId]);
    expect((await owner.send('PATCH', path, { role: 'admin' })).status).toBe(500);
    expect((await owner.send('DELETE', path)).status).toBe(500);
    expect((await viewer.send('DELETE', path)).status).toBe(500);
    expect((await invite(owner, owner.workspaceId, newEmail())).status).toBe(500);
    const members = await membersOf(owner, owner.workspaceId);
    expect(members.map(({ role }) => role)).toEqual(['owner', 'viewer']);
    expect((await pool.query('select 1 from one_time_links')).rowCount).toBe(0);
  });

  test('always include an owner, also when two owners leave at the same time', async () => {
    const owner = await dashboard.owner();
    const own = pathOf(owner, await memberId(owner, owner));
    for (const answer of [
      await owner.send('DELETE', own),
      await owner.send('PATCH', own, { role: 'viewer' }),
    ]) {
      expect([answer.status, code(answer)]).toEqual([409, 'conflict']);
      expect(message(answer)).toContain('last owner');
    }
    for (let round = 0; round < 5; round++) {
      const first = await dashboard.owner();
      const second = await dashboard.member(first.workspaceId, 'owner');
      const [a, b] = [
        pathOf(first, await memberId(first, first)),
        pathOf(first, await memberId(first, second)),
      ];
      await Promise.all(
        round % 2 === 0
          ? [first.send('DELETE', b), second.send('DELETE', a)]
          : [first.send('PATCH', a, { role: 'viewer' }), second.send('PATCH', b, { role: 'viewer' })],
      );
      const { rows } = await pool.query<{ owners: number }>(
        `select count(*) as owners from members where workspace_id = $1 and role = 'owner'`,
        [first.workspaceId],
      );
      expect(rows[0]?.owners, `round ${round}`).toBeGreaterThan(0);
    }
  });

  test('with the role admin cannot change an owner', async () => {
    const owner = await dashboard.owner();
    const admin = await dashboard.member(owner.workspaceId, 'admin');
    const path = pathOf(owner, await memberId(owner, owner));
    expect((await admin.send('PATCH', path, { role: 'viewer' })).status).toBe(403);
    expect((await admin.send('DELETE', path)).status).toBe(403);
    expect((await membersOf(owner, owner.workspaceId))[0]?.role).toBe('owner');
  });

  test('of another workspace, or with an unknown role, cannot be changed', async () => {
    const [owner, stranger] = [await dashboard.owner(), await dashboard.owner()];
    const theirs = await memberId(stranger, stranger);
    expect((await owner.send('DELETE', pathOf(owner, theirs))).status).toBe(404);
    expect((await owner.send('PATCH', pathOf(owner, theirs), { role: 'viewer' })).status).toBe(404);
    expect((await owner.send('DELETE', pathOf(owner, '%00'))).status).toBe(404);
    const own = pathOf(owner, await memberId(owner, owner));
    for (const role of ['member', 'owner,admin', '', ['owner'], null]) {
      expect((await owner.send('PATCH', own, { role })).status, String(role)).toBe(400);
    }
  });
});

describe('an invitation', () => {
  test('creates an account and a member by its link, once, and is logged', async () => {
    const owner = await dashboard.owner();
    const email = newEmail();
    const answer = await invite(owner, owner.workspaceId, email.toUpperCase(), 'admin');
    expect(answer.status).toBe(201);
    const { invitation, link } = answer.json<{ invitation: Invitation; link: string }>();
    expect(invitation).toMatchObject({ email, role: 'admin' });
    expect(link).toMatch(new RegExp(`^${PUBLIC_URL}/invitation#token=`));
    expect(await logged(owner.workspaceId)).toEqual([{ kind: 'member.invited', actor: owner.email }]);
    const token = tokenOf(link);
    const offer = (await nobody.send('POST', '/invitations/read', { token })).json<InvitationOffer>();
    expect(offer).toEqual({ email, role: 'admin', workspaceName: 'Test', hasAccount: false });

    expect((await accept(nobody, token, {})).status).toBe(400);
    expect(message(await accept(nobody, token, { name: 'Bea', password: 'short' }))).toContain('"password"');
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(nobody, token)));
    const accepted = answers.filter(({ status }) => status === 200);
    expect(accepted).toHaveLength(1);
    const cookie = accepted[0] === undefined ? '' : (sessionCookie(accepted[0]) ?? '');
    const me = await nobody.send('GET', '/me', undefined, { headers: { cookie } });
    expect(me.json<Me>()).toMatchObject({
      user: { email, name: 'Bea' },
      workspaces: [{ id: owner.workspaceId, role: 'admin' }],
    });
    expect((await accept(nobody, token)).status).toBe(400);
    const list = await owner.send('GET', `/workspaces/${owner.workspaceId}/invitations`);
    expect(list.json()).toEqual({ data: [] });
  });

  test('to a person with an account needs that account', async () => {
    const owner = await dashboard.owner();
    const { email, userId } = await dashboard.bootstrap();
    const token = await invitedToken(owner, email);
    const offer = await nobody.send('POST', '/invitations/read', { token });
    expect(offer.json()).toMatchObject({ hasAccount: true });
    for (const visitor of [nobody, owner]) {
      const answer = await accept(visitor, token);
      expect([answer.status, code(answer)]).toEqual([401, 'not_signed_in']);
      expect(message(answer)).toContain(email);
    }
    const invited = await dashboard.signIn(userId, email);
    expect((await accept(invited, token, {})).json()).toEqual({ userId, workspaceId: owner.workspaceId });
    expect((await invited.send('GET', `/workspaces/${owner.workspaceId}`)).json()).toMatchObject({
      role: 'viewer',
    });
  });

  test('ends when it is cancelled, replaced or seven days old', async () => {
    const owner = await dashboard.owner();
    const path = `/workspaces/${owner.workspaceId}/invitations`;
    const email = newEmail();
    const first = await invitedToken(owner, email);
    const second = await invitedToken(owner, email, 'admin');
    expect((await accept(nobody, first)).status).toBe(400);
    const [pending, ...others] = (await owner.send('GET', path)).json<{ data: Invitation[] }>().data;
    expect([pending?.role, others]).toEqual(['admin', []]);
    expect((await owner.send('DELETE', `${path}/${pending?.id}`)).status).toBe(204);
    expect((await owner.send('DELETE', `${path}/${pending?.id}`)).status).toBe(404);
    expect((await accept(nobody, second)).status).toBe(400);

    const third = await invitedToken(owner, email);
    const { rows } = await pool.query(
      `update invitations set expires_at = now()
       where status = 'pending' and expires_at between now() + interval '6 days 23 hours' and now() + interval '7 days'
       returning email`,
    );
    expect(rows).toEqual([{ email }]);
    expect((await accept(nobody, third)).status).toBe(400);
    expect((await pool.query('select 1 from users where email = $1', [email])).rowCount).toBe(0);
  });

  test('is refused for a member, an invalid address and an unknown role', async () => {
    const owner = await dashboard.owner();
    const viewer = await dashboard.member(owner.workspaceId, 'viewer');
    const member = await invite(owner, owner.workspaceId, viewer.email);
    expect([member.status, code(member)]).toEqual([409, 'conflict']);
    for (const email of ['x', 'x@y', '', 'a b@example.com']) {
      expect((await invite(owner, owner.workspaceId, email)).status, email).toBe(400);
    }
    for (const role of ['member', 'owner,admin', '']) {
      expect((await invite(owner, owner.workspaceId, newEmail(), role)).status, role).toBe(400);
    }
  });

  test('cannot be cancelled from another workspace', async () => {
    const [owner, stranger] = [await dashboard.owner(), await dashboard.owner()];
    const invited = (await invite(owner, owner.workspaceId, newEmail())).json<{ invitation: Invitation }>();
    const path = `/workspaces/${stranger.workspaceId}/invitations/${invited.invitation.id}`;
    expect((await stranger.send('DELETE', path)).status).toBe(404);
    const list = await owner.send('GET', `/workspaces/${owner.workspaceId}/invitations`);
    expect(list.json<{ data: Invitation[] }>().data).toHaveLength(1);
  });
});
