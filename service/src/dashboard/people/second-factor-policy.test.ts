import { describe, expect, test } from 'vitest';
import {
  createTestDashboard,
  PASSWORD,
  sessionCookie,
  type Visitor,
} from '../../../test/harness/dashboard.ts';
import { createTestService } from '../../../test/harness/service.ts';
import { totpCode } from '../../../test/harness/totp.ts';
import type { Member, Workspace } from '../wire.ts';

const service = await createTestService();
/** Another node of the same service. */
const node = createTestDashboard(await createTestService({ database: service.database }));
const { pool } = service;
const dashboard = createTestDashboard(service);

/** Sets up a second factor; returns the person with the cookie of the session that replaces the first one. */
async function enrol<V extends Visitor>(visitor: V): Promise<V> {
  const enabled = await visitor.send('POST', '/auth/two-factor/enable', { password: PASSWORD });
  const code = totpCode(enabled.json<{ totpURI: string }>().totpURI);
  const done = await visitor.send('POST', '/auth/two-factor/verify-totp', { code });
  const cookie = sessionCookie(done) ?? '';
  const send: Visitor['send'] = (method, path, body, options = {}) =>
    dashboard.nobody.send(method, path, body, { ...options, headers: { ...options.headers, cookie } });
  return { ...visitor, cookie, send };
}

const require = (owner: Visitor & { readonly workspaceId: string }, secondFactorRequired: boolean) =>
  owner.send('PATCH', `/workspaces/${owner.workspaceId}`, { secondFactorRequired });

/** Reads and writes of a workspace: its settings, people, keys, data, log and webhooks. */
const REQUESTS = [
  ['GET', ''],
  ['PATCH', '', { name: 'New' }],
  ['GET', '/members'],
  ['GET', '/keys'],
  ['POST', '/keys', { name: 'x', mode: 'live', access: 'read', companyId: null }],
  ['GET', '/data/companies'],
  ['POST', '/data/companies', { name: 'x' }],
  ['GET', '/log'],
  ['GET', '/webhooks'],
  ['GET', '/overview'],
  ['GET', '/month'],
] as const;

describe('a workspace that requires a second factor', () => {
  test('refuses members without one on every node, in every request, until they have set it up', async () => {
    const owner = await enrol(await dashboard.owner());
    const admin = await dashboard.member(owner.workspaceId, 'admin');
    const { workspaceId } = owner;
    const path = `/workspaces/${workspaceId}`;
    const elsewhere = (method: 'GET' | 'POST' | 'PATCH', below: string, body?: unknown) =>
      node.nobody.send(method, `${path}${below}`, body, { headers: { cookie: admin.cookie } });
    expect((await elsewhere('GET', '')).status).toBe(200);
    expect((await require(owner, true)).json<Workspace>().secondFactorRequired).toBe(true);
    for (const [method, below, body] of REQUESTS) {
      const answer = await elsewhere(method, below, body);
      expect([answer.status, answer.json()], `${method} ${below}`).toEqual([
        403,
        { error: { code: 'second_factor_required', message: expect.stringContaining('in your account') } },
      ]);
    }
    // Strangers get the same response as before.
    expect((await (await dashboard.owner()).send('GET', path)).status).toBe(404);
    // The own account and other workspaces stay open.
    expect((await admin.send('GET', '/me')).status).toBe(200);
    const enrolled = await enrol(admin);
    expect((await enrolled.send('GET', path)).status).toBe(200);
    expect((await owner.send('GET', path)).status).toBe(200);
  });

  test('lets a member without one leave, without showing or changing anything else', async () => {
    const owner = await enrol(await dashboard.owner());
    const { workspaceId } = owner;
    const [leaving, other] = [
      await dashboard.member(workspaceId, 'admin'),
      await dashboard.member(workspaceId, 'viewer'),
    ];
    await require(owner, true);
    const members = async () =>
      (await owner.send('GET', `/workspaces/${workspaceId}/members`)).json<{ data: readonly Member[] }>()
        .data;
    const found = await members();
    const own = `/workspaces/${workspaceId}/members/me`;
    for (const id of [...found.map((member) => member.id), 'nobody']) {
      const refused = await leaving.send('DELETE', `/workspaces/${workspaceId}/members/${id}`);
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining('second_factor_required'),
      ]);
    }
    expect((await leaving.send('PATCH', own, { role: 'owner' })).status).toBe(403);
    expect((await (await dashboard.owner()).send('DELETE', own)).status).toBe(404);
    expect((await leaving.send('DELETE', own)).status).toBe(204);
    expect((await leaving.send('DELETE', own)).status).toBe(404);
    expect((await leaving.send('GET', `/workspaces/${workspaceId}`)).status).toBe(404);
    expect((await members()).map(({ userId }) => userId)).toEqual([owner.userId, other.userId]);
    const { rows } = await pool.query(
      `select actor, doc::json->>'targetLabel' as label from audit_log where workspace_id = $1 and kind = 'member.removed'`,
      [workspaceId],
    );
    expect(rows).toEqual([{ actor: leaving.email, label: leaving.email }]);
  });

  test('keeps its only owner, also if the owner has no second factor any more', async () => {
    const owner = await enrol(await dashboard.owner());
    await require(owner, true);
    const off = await owner.send('POST', '/auth/two-factor/disable', { password: PASSWORD });
    const cookie = sessionCookie(off) ?? owner.cookie;
    const path = `/workspaces/${owner.workspaceId}/members/me`;
    const left = await dashboard.nobody.send('DELETE', path, undefined, { headers: { cookie } });
    expect([left.status, left.text]).toEqual([409, expect.stringContaining('owner')]);
  });

  test('leaves keys as they are', async () => {
    const owner = await enrol(await dashboard.owner());
    const token = await service.token(owner.workspaceId);
    await require(owner, true);
    expect((await service.request(token, '/v1/companies')).status).toBe(200);
  });

  test('opens again to all members when the owner no longer requires it', async () => {
    const owner = await enrol(await dashboard.owner());
    const viewer = await dashboard.member(owner.workspaceId, 'viewer');
    await require(owner, true);
    expect((await viewer.send('GET', `/workspaces/${owner.workspaceId}`)).status).toBe(403);
    await require(owner, false);
    expect((await viewer.send('GET', `/workspaces/${owner.workspaceId}`)).status).toBe(200);
  });

  test('blocks an owner who switches their own second factor off, until they have one again', async () => {
    const owner = await enrol(await dashboard.owner());
    await require(owner, true);
    const off = await owner.send('POST', '/auth/two-factor/disable', { password: PASSWORD });
    const cookie = sessionCookie(off) ?? owner.cookie;
    const read = () =>
      dashboard.nobody.send('GET', `/workspaces/${owner.workspaceId}`, undefined, { headers: { cookie } });
    expect((await read()).status).toBe(403);
  });

  test('is a setting of owners who have a second factor themselves', async () => {
    const owner = await dashboard.owner();
    const refused = await require(owner, true);
    expect(refused.status).toBe(409);
    expect(refused.json()).toMatchObject({ error: { message: expect.stringContaining('your own account') } });
    const admin = await enrol(await dashboard.member(owner.workspaceId, 'admin'));
    expect((await require({ ...admin, workspaceId: owner.workspaceId }, true)).status).toBe(403);
    expect((await owner.send('GET', `/workspaces/${owner.workspaceId}`)).json()).toMatchObject({
      secondFactorRequired: false,
    });
  });
});

describe('the members of a workspace', () => {
  test('show their last sign-in and their second factor to owners and admins only', async () => {
    const owner = await enrol(await dashboard.owner());
    const admin = await dashboard.member(owner.workspaceId, 'admin');
    const viewer = await dashboard.member(owner.workspaceId, 'viewer');
    const { userId } = await dashboard.bootstrap();
    await pool.query(
      `insert into members (workspace_id, user_id, id, role, created_at) values ($1, $2, $2, 'viewer', now())`,
      [owner.workspaceId, userId],
    );
    const list = async (visitor: Visitor) =>
      (await visitor.send('GET', `/workspaces/${owner.workspaceId}/members`)).json<{ data: Member[] }>().data;
    const seen = await list(admin);
    expect(seen.map(({ secondFactor }) => secondFactor)).toEqual([true, false, false, false]);
    expect(seen.at(-1)?.lastSignedInAt).toBeNull();
    expect(await list(owner)).toEqual(seen);
    const shown = await list(viewer);
    expect(shown.map(({ userId: id }) => id)).toEqual(seen.map(({ userId: id }) => id));
    for (const member of shown) {
      expect(Object.keys(member)).not.toContain('lastSignedInAt');
      expect(Object.keys(member)).not.toContain('secondFactor');
    }
  });

  test('have signed in when both factors were right, not before', async () => {
    const owner = await enrol(await dashboard.owner());
    const read = async (): Promise<string | null> => {
      const { rows } = await pool.query<{ at: string | null }>(
        'select last_signed_in_at::text as at from users where id = $1',
        [owner.userId],
      );
      return rows[0]?.at ?? null;
    };
    const before = await read();
    expect(before).not.toBeNull();
    expect((await dashboard.enter(owner.email, PASSWORD)).json()).toMatchObject({ twoFactorRedirect: true });
    expect(await read()).toBe(before);
    await dashboard.signIn(owner.userId, owner.email);
    expect(Date.parse((await read()) ?? '')).toBeGreaterThan(Date.parse(before ?? ''));
  });
});
