import { describe, expect, test } from 'vitest';
import {
  cookiesOf,
  finish,
  goToProvider,
  openProvider,
  settingsFor,
} from '../../../test/dashboard/openid.ts';
import { createTestDashboard, newEmail, PASSWORD, sessionCookie } from '../../../test/harness/dashboard.ts';
import { createTestService, type TestAnswer } from '../../../test/harness/service.ts';
import { totpCode } from '../../../test/harness/totp.ts';
import type { Me } from '../wire.ts';

const provider = await openProvider();
const { database, ...first } = await createTestService({ oidc: settingsFor(provider) });
const { pool } = first;
const dashboard = createTestDashboard(first);
const company = await dashboard.owner();
const newcomers = { workspaceId: company.workspaceId, role: 'viewer' } as const;
/** Two nodes that take newcomers. */
const nodes = await Promise.all(
  [1, 2].map(() => createTestService({ database, oidc: settingsFor(provider, { newcomers }) })),
);
const [a, b] = nodes.map((node) => createTestDashboard(node).nobody);
if (a === undefined || b === undefined) throw new Error('two nodes');

let people = 0;
/** Adds a person to the provider; returns the subject. */
function add(email: string | undefined, more: object = {}): string {
  const sub = `subject-${++people}`;
  provider.people.set(sub, { sub, email_verified: true, ...(email === undefined ? {} : { email }), ...more });
  return sub;
}
const signIn = async (subject: string, { send } = a): Promise<TestAnswer> =>
  finish(send, await goToProvider(send, provider, subject));
const meOf = async (answer: TestAnswer): Promise<Me> =>
  (await b.send('GET', '/me', undefined, { headers: { cookie: sessionCookie(answer) ?? '' } })).json<Me>();
const errorOf = (answer: TestAnswer) => ({
  status: answer.status,
  ...answer.json<{ error: { code: string; message: string } }>().error,
});
const users = async (email: string): Promise<number> =>
  (await pool.query('select 1 from users where email = lower($1)', [email])).rowCount ?? 0;
const kindsOf = async (workspaceId: string): Promise<readonly string[]> =>
  (
    await pool.query<{ kind: string }>(
      `select kind from audit_log where workspace_id = $1 and kind like any ('{session.%,account.%,member.%}')
       order by created_at`,
      [workspaceId],
    )
  ).rows.map(({ kind }) => kind);
/** An owner whose account is connected to a new subject. */
async function connectedOwner() {
  const owner = await dashboard.owner();
  const subject = add(owner.email);
  const returned = await goToProvider(owner.send, provider, subject, { password: PASSWORD });
  const answer = await finish(owner.send, { ...returned, cookie: `${owner.cookie}; ${returned.cookie}` });
  expect(answer.json()).toEqual({ next: '/account' });
  return { owner, subject };
}

describe('a newcomer', () => {
  test('joins the workspace and role of the settings, once, with entries', async () => {
    const email = newEmail();
    const subject = add(email.toUpperCase(), { name: 'Ada\nLovelace' });
    const before = (await kindsOf(company.workspaceId)).length;
    const answer = await signIn(subject);
    expect(answer.json()).toEqual({ next: '/' });
    expect(await meOf(answer)).toMatchObject({
      user: { id: expect.any(String) as string, email, name: 'Ada Lovelace' },
      workspaces: [{ id: company.workspaceId, name: 'Test', role: 'viewer' }],
    });
    const again = await signIn(subject, b);
    expect((await meOf(again)).user.email).toBe(email);
    expect((await kindsOf(company.workspaceId)).slice(before)).toEqual([
      'member.joined',
      'session.signed_in',
      'session.signed_in',
    ]);
    const methods = await a.send('GET', '/auth/methods', undefined, {
      headers: { cookie: sessionCookie(again) ?? '' },
    });
    expect(methods.json()).toEqual({ password: false, providerSince: expect.any(String) as string });
  });

  test.each<[why: string, email: string | undefined, more: object]>([
    ['the address is not verified', newEmail(), { email_verified: false }],
    ['the provider does not say whether the address is verified', newEmail(), { email_verified: undefined }],
    ['there is no address', undefined, {}],
    ['the domain is not allowed', 'ada@example.org', {}],
    ['it is a subdomain', 'ada@sub.example.com', {}],
    ['the domain only starts with an allowed one', 'ada@example.com.evil.org', {}],
    ['the domain only ends with an allowed one', 'ada@evilexample.com', {}],
    ['the address has two @', '"ada@evil.org"@example.com', {}],
    ['the address has two @, the allowed domain first', 'ada@example.com@evil.org', {}],
    ['a letter only looks like one of the domain', 'ada@exаmple.com', {}],
    ['a letter becomes one of the domain in lower case', 'ada@example.Com\u212A', {}],
    ['the domain is allowed in its compatible form', 'ada@ｅxample.com', {}],
    ['the address has a space', 'ada lovelace@example.com', {}],
    ['the address has a line break', 'ada\n@example.com', {}],
  ])('is refused if %s', async (_, email, more) => {
    const answer = await signIn(add(email, more));
    expect(errorOf(answer)).toMatchObject({ status: 403, code: 'insufficient_scope' });
    expect(sessionCookie(answer)).toBeUndefined();
    if (email !== undefined) expect(await users(email)).toBe(0);
  });

  test('is refused by a service without a workspace for newcomers', async () => {
    const email = newEmail();
    const answer = await signIn(add(email), dashboard.nobody);
    expect(errorOf(answer)).toMatchObject({
      status: 403,
      message: expect.stringContaining('invite') as string,
    });
    expect(await users(email)).toBe(0);
  });

  test('is refused if the workspace is deleted or does not exist', async () => {
    const owner = await dashboard.owner();
    await pool.query('update workspaces set deleted_at = now() where id = $1', [owner.workspaceId]);
    for (const workspaceId of [owner.workspaceId, 'wks_none']) {
      const oidc = settingsFor(provider, { newcomers: { workspaceId, role: 'viewer' } });
      const { nobody } = createTestDashboard(await createTestService({ database, oidc }));
      const email = newEmail();
      expect(errorOf(await signIn(add(email), nobody))).toMatchObject({ status: 409, code: 'conflict' });
      expect(await users(email)).toBe(0);
    }
  });

  test('who comes twice at the same time gets one account', async () => {
    const email = newEmail();
    const subject = add(email);
    const both = await Promise.all([a, b].map(({ send }) => goToProvider(send, provider, subject)));
    const [one, two] = both;
    if (one === undefined || two === undefined) throw new Error('two');
    const answers = await Promise.all([finish(a.send, one), finish(b.send, two)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, expect.any(Number) as number]);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(await users(email)).toBe(1);
  });

  test('who was removed from the workspace signs in without a workspace', async () => {
    const subject = add(newEmail());
    const { user } = await meOf(await signIn(subject));
    const members = (await company.send('GET', `/workspaces/${company.workspaceId}/members`)).json<{
      data: { id: string; userId: string }[];
    }>();
    const member = members.data.find(({ userId }) => userId === user.id);
    await company.send('DELETE', `/workspaces/${company.workspaceId}/members/${member?.id}`);
    expect((await meOf(await signIn(subject))).workspaces).toEqual([]);
  });
});

describe('an existing account', () => {
  test('is not entered by its address, and the attempt is in its log', async () => {
    const owner = await dashboard.owner();
    const answer = await signIn(add(owner.email.toUpperCase()));
    expect(errorOf(answer)).toMatchObject({ status: 409, code: 'conflict' });
    expect(errorOf(answer).message).toContain('connect Example ID on the account page');
    expect(sessionCookie(answer)).toBeUndefined();
    expect((await kindsOf(owner.workspaceId)).at(-1)).toBe('session.sign_in_failed');
    const { rowCount } = await pool.query('select 1 from accounts where user_id = $1', [owner.userId]);
    expect(rowCount).toBe(1);
  });

  test('is connected with its password, by its person, and disconnected again', async () => {
    const { owner, subject } = await connectedOwner();
    expect((await meOf(await signIn(subject))).user.id).toBe(owner.userId);
    expect((await owner.send('POST', '/auth/openid/disconnect', { password: PASSWORD })).status).toBe(204);
    expect((await signIn(subject)).status).toBe(409);
    expect((await kindsOf(owner.workspaceId)).slice(-4)).toEqual([
      'account.provider_connected',
      'session.signed_in',
      'account.provider_disconnected',
      'session.sign_in_failed',
    ]);
  });

  test('is not connected with a wrong password', async () => {
    const owner = await dashboard.owner();
    for (const path of ['/auth/openid/connect', '/auth/openid/disconnect']) {
      const answer = await owner.send('POST', path, { password: 'wrong' });
      expect(errorOf(answer)).toMatchObject({ status: 400, message: 'The password is wrong.' });
      expect((await kindsOf(owner.workspaceId)).at(-1)).toBe('account.password_check_failed');
      expect((await dashboard.nobody.send('POST', path, { password: PASSWORD })).status).toBe(401);
    }
  });

  test('is not connected to the person of another session', async () => {
    const owner = await dashboard.owner();
    const other = await dashboard.owner();
    const subject = add(owner.email);
    const { answer, cookie } = await goToProvider(owner.send, provider, subject, { password: PASSWORD });
    for (const session of [other.cookie, '']) {
      const refused = await finish(other.send, { answer, cookie: `${session}; ${cookie}` });
      expect(refused.status).toBe(401);
    }
    expect((await signIn(subject)).status).toBe(409);
  });

  test('is connected to one person of the provider, and a person to one account', async () => {
    const { owner, subject } = await connectedOwner();
    const other = await dashboard.owner();
    for (const [visitor, person] of [
      [other, subject],
      [owner, add(owner.email)],
    ] as const) {
      const { answer, cookie } = await goToProvider(visitor.send, provider, person, { password: PASSWORD });
      const refused = await finish(visitor.send, { answer, cookie: `${visitor.cookie}; ${cookie}` });
      expect(errorOf(refused)).toMatchObject({ status: 409, code: 'conflict' });
    }
  });

  test('stays the same if the address at the provider becomes that of another account', async () => {
    const { owner, subject } = await connectedOwner();
    const other = await dashboard.owner();
    provider.people.set(subject, { sub: subject, email: other.email, email_verified: true });
    expect((await meOf(await signIn(subject))).user).toMatchObject({ id: owner.userId, email: owner.email });
  });

  test('is closed to the provider while the address there is not of an allowed domain', async () => {
    const { owner, subject } = await connectedOwner();
    provider.people.set(subject, { sub: subject, email: 'ada@example.org', email_verified: true });
    expect((await signIn(subject)).status).toBe(403);
    expect((await kindsOf(owner.workspaceId)).at(-1)).toBe('session.sign_in_failed');
    provider.people.set(subject, { sub: subject, email: owner.email, email_verified: true });
    expect((await signIn(subject)).status).toBe(200);
  });

  test('with a second factor needs it after the provider', async () => {
    const { owner, subject } = await connectedOwner();
    const started = await owner.send('POST', '/auth/two-factor/enable', { password: PASSWORD });
    const { totpURI } = started.json<{ totpURI: string }>();
    await owner.send('POST', '/auth/two-factor/verify-totp', { code: totpCode(totpURI) });
    await pool.query('update second_factors set last_used_step = null');
    const half = await signIn(subject);
    expect(half.json()).toEqual({ next: '/', twoFactorRedirect: true });
    expect(sessionCookie(half)).toBe('svc.session_token=');
    const options = { headers: { cookie: cookiesOf(half) }, remoteAddress: '10.8.0.1' };
    const wrong = await b.send('POST', '/auth/two-factor/verify-totp', { code: '000000' }, options);
    expect(wrong.status).toBe(400);
    const answer = await b.send('POST', '/auth/two-factor/verify-totp', { code: totpCode(totpURI) }, options);
    expect((await meOf(answer)).user.id).toBe(owner.userId);
    expect((await kindsOf(owner.workspaceId)).slice(-3)).toEqual([
      'session.provider_accepted',
      'session.sign_in_failed',
      'session.signed_in',
    ]);
  });
});
