import { waitFor } from '@svc/embedded-postgres/testing';
import { describe, expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import {
  createTestDashboard,
  PASSWORD,
  PUBLIC_URL,
  sessionCookie,
  setCookieOf,
  tokenOf,
  type Visitor,
} from '../../../test/harness/dashboard.ts';
import { waitingForLocks } from '../../../test/harness/locks.ts';
import { createTestService } from '../../../test/harness/service.ts';
import { OPERATOR } from '../../audit-log/actor.ts';
import type { IssuedResetLink } from '../wire.ts';
import { hashPassword, lockPerson } from './accounts.ts';
import { createPasswordResetLink } from './links.ts';
import { createOperatorResetLink } from './operator.ts';
import { resetPassword, takeResetLink } from './password-reset.ts';

const service = await createTestService();
const { pool } = service;
const dashboard = createTestDashboard(service);
const NEW_PASSWORD = 'another horse battery staple';

type Owner = Visitor & { readonly workspaceId: string };

/** A member who belongs only to this workspace. */
async function onlyMember({ workspaceId }: Owner, role: 'admin' | 'viewer' = 'viewer'): Promise<Visitor> {
  const member = await dashboard.member(workspaceId, role);
  await pool.query('delete from members where user_id = $1 and workspace_id <> $2', [
    member.userId,
    workspaceId,
  ]);
  return member;
}

const join = ({ workspaceId }: Owner, { userId }: Visitor, role: string) =>
  pool.query(
    `insert into members (workspace_id, user_id, id, role, created_at) values ($1, $2, gen_random_uuid(), $3, now())`,
    [workspaceId, userId, role],
  );

async function ask(actor: Visitor, { workspaceId }: Owner, { userId }: Visitor) {
  const { rows } = await pool.query<{ id: string }>(
    'select id from members where workspace_id = $1 and user_id = $2',
    [workspaceId, userId],
  );
  return actor.send('POST', `/workspaces/${workspaceId}/members/${rows[0]?.id}/password-reset`, {});
}
const use = (token: string, password = NEW_PASSWORD) =>
  dashboard.nobody.send('POST', '/password-reset', { token, password });
const enters = async ({ email }: Visitor, password: string): Promise<boolean> =>
  sessionCookie(await dashboard.enter(email, password)) !== undefined;
const tokenFor = async (owner: Owner, member: Visitor): Promise<string> => {
  const answer = await ask(owner, owner, member);
  expect(answer.status).toBe(201);
  return tokenOf(answer.json<IssuedResetLink>().link);
};

describe('a reset link that an owner creates for a member', () => {
  test('sets a new password once, ends all sessions of the person, and signs nobody in', async () => {
    const owner = await dashboard.owner();
    const member = await onlyMember(owner);
    const token = await tokenFor(owner, member);
    const offer = await dashboard.nobody.send('POST', '/password-reset/read', { token });
    expect(offer.json()).toEqual({ email: member.email });
    expect((await member.send('GET', '/me')).status).toBe(200);

    const answer = await use(token);
    expect([answer.status, sessionCookie(answer)]).toEqual([204, undefined]);
    expect((await member.send('GET', '/me')).status).toBe(401);
    expect([await enters(member, PASSWORD), await enters(member, NEW_PASSWORD)]).toEqual([false, true]);
    expectFailure(await use(token), 'invalid_body');
    expectFailure(await dashboard.nobody.send('POST', '/password-reset/read', { token }), 'invalid_body');
  });

  test('works once, also when it is used twice at the same time', async () => {
    const owner = await dashboard.owner();
    const token = await tokenFor(owner, await onlyMember(owner));
    const answers = await Promise.all([use(token), use(token)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 400]);
  });

  test('makes the device known, so that strangers who use up attempts do not lock out the person', async () => {
    const owner = await dashboard.owner();
    const member = await onlyMember(owner);
    const [device = ''] = setCookieOf(await use(await tokenFor(owner, member))).split(';', 1);
    await dashboard.enter(member.email, 'a guess');
    await pool.query('update sign_in_attempts set attempts = 1000');
    const { email } = member;
    const signIn = (headers: Readonly<Record<string, string>>) =>
      dashboard.nobody.send(
        'POST',
        '/auth/sign-in/email',
        { email, password: NEW_PASSWORD },
        { headers, remoteAddress: '10.7.7.7' },
      );
    expectFailure(await signIn({}), 'rate_limited');
    expect((await signIn({ cookie: device })).status).toBe(200);
  });

  test('is used and replaced at the same time without a deadlock', async () => {
    const owner = await dashboard.owner();
    const member = await onlyMember(owner);
    const token = await tokenFor(owner, member);
    const [replacing, using] = [await pool.connect(), await pool.connect()];
    try {
      for (const client of [replacing, using]) await client.query('begin');
      await lockPerson(replacing, member.userId);
      const refused = expect(takeResetLink(using, token)).rejects.toMatchObject({ code: 'invalid_body' });
      await waitFor(async () => expect(await waitingForLocks(pool)).toBe(1));
      await createPasswordResetLink(replacing, PUBLIC_URL, member.userId, owner.userId);
      await replacing.query('commit');
      await refused;
    } finally {
      for (const client of [replacing, using]) {
        await client.query('rollback');
        client.release();
      }
    }
  });

  test('is stored only as a hash, replaces an earlier one, and works for 24 hours', async () => {
    const owner = await dashboard.owner();
    const member = await onlyMember(owner);
    const first = await tokenFor(owner, member);
    const token = await tokenFor(owner, member);
    const { rows } = await pool.query('select l::text as row from one_time_links l where subject = $1', [
      member.userId,
    ]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
    expectFailure(await use(first), 'invalid_body');
    await pool.query(`update one_time_links set expires_at = expires_at - interval '24 hours'`);
    expectFailure(await use(token), 'invalid_body');
    expect(await enters(member, PASSWORD)).toBe(true);
  });

  test('leaves a second factor in place, and ends a sign-in that waits for it', async () => {
    const owner = await dashboard.owner();
    const member = await onlyMember(owner);
    await pool.query('update users set two_factor_enabled = true where id = $1', [member.userId]);
    const first = await dashboard.enter(member.email, PASSWORD);
    expect(first.json()).toMatchObject({ twoFactorRedirect: true });
    await use(await tokenFor(owner, member));
    const { rowCount } = await pool.query('select 1 from verifications where value = $1', [member.userId]);
    expect(rowCount).toBe(0);
    expect((await dashboard.enter(member.email, NEW_PASSWORD)).json()).toMatchObject({
      twoFactorRedirect: true,
    });
  });

  test('is not used up by a password that is too short', async () => {
    const owner = await dashboard.owner();
    const token = await tokenFor(owner, await onlyMember(owner));
    expectFailure(await use(token, 'short'), 'invalid_body');
    expect((await use(token)).status).toBe(204);
  });
});

describe('an owner cannot create a reset link', () => {
  test('for a person who belongs to a workspace of another owner', async () => {
    const owner = await dashboard.owner();
    const other = await dashboard.owner();
    const member = await onlyMember(owner);
    await join(other, member, 'viewer');
    const refused = await ask(owner, owner, member);
    expectFailure(refused, 'insufficient_scope');
    expect(refused.text).toContain('svcd user reset-password');
    await join(other, owner, 'admin');
    expectFailure(await ask(owner, owner, member), 'insufficient_scope');
    await pool.query(`update members set role = 'owner' where user_id = $1`, [owner.userId]);
    expect((await ask(owner, owner, member)).status).toBe(201);
  });

  test('for another owner or for the own account', async () => {
    const owner = await dashboard.owner();
    const peer = await onlyMember(owner);
    await pool.query(`update members set role = 'owner' where user_id = $1`, [peer.userId]);
    expectFailure(await ask(owner, owner, peer), 'insufficient_scope');
    expectFailure(await ask(owner, owner, owner), 'insufficient_scope');
  });

  test('that still works after the person joined another workspace or the owner was demoted', async () => {
    const owner = await dashboard.owner();
    const member = await onlyMember(owner);
    const early = await tokenFor(owner, member);
    await join(await dashboard.owner(), member, 'viewer');
    expectFailure(await use(early), 'invalid_body');
    expect(await enters(member, PASSWORD)).toBe(true);

    const second = await onlyMember(owner);
    const token = await tokenFor(owner, second);
    await pool.query(`update members set role = 'admin' where user_id = $1`, [owner.userId]);
    expectFailure(await use(token), 'invalid_body');
  });

  test('as admin, viewer or stranger', async () => {
    const owner = await dashboard.owner();
    const [admin, viewer] = [await onlyMember(owner, 'admin'), await onlyMember(owner)];
    expectFailure(await ask(admin, owner, viewer), 'insufficient_scope');
    expectFailure(await ask(viewer, owner, admin), 'insufficient_scope');
    expectFailure(await ask(await dashboard.owner(), owner, viewer), 'not_found');
    expectFailure(await ask(dashboard.nobody, owner, viewer), 'not_signed_in');
  });
});

test('a reset link of the operator works for anyone, also for an owner', async () => {
  const owner = await dashboard.owner();
  const link = await createOperatorResetLink({
    pool,
    publicUrl: PUBLIC_URL,
    email: owner.email.toUpperCase(),
  });
  expect((await use(tokenOf(link))).status).toBe(204);
  expect(await enters(owner, NEW_PASSWORD)).toBe(true);
});

test.each([
  ['without a second factor', false],
  ['with a second factor', true],
] as const)('a reset at the same time ends a sign-in with the old password: %s', async (_, secondFactor) => {
  const owner = await dashboard.owner();
  await pool.query('update users set two_factor_enabled = $2 where id = $1', [owner.userId, secondFactor]);
  const hash = await hashPassword(dashboard.auth, NEW_PASSWORD);
  const client = await pool.connect();
  try {
    await client.query('begin');
    await lockPerson(client, owner.userId);
    await resetPassword(client, OPERATOR, owner.userId, hash, 'operator');
    const entered = dashboard.enter(owner.email, PASSWORD);
    await waitFor(async () => expect(await waitingForLocks(pool)).toBe(1));
    await client.query('commit');
    expectFailure(await entered, 'not_signed_in');
  } finally {
    await client.query('rollback');
    client.release();
  }
  const { rows } = await pool.query(
    'select user_id from sessions where user_id = $1 union all select value from verifications where value = $1',
    [owner.userId],
  );
  expect(rows).toEqual([]);
});
