import { expect, test } from 'vitest';
import { finish, goToProvider, openProvider, settingsFor } from '../../../test/dashboard/openid.ts';
import { expectFailure } from '../../../test/harness/answers.ts';
import {
  createTestDashboard,
  newEmail,
  PUBLIC_URL,
  sessionCookie,
  tokenOf,
} from '../../../test/harness/dashboard.ts';
import { createTestService } from '../../../test/harness/service.ts';
import { createOperatorResetLink, setUserPassword } from '../people/operator.ts';
import type { IssuedResetLink, Me, Member } from '../wire.ts';

/** What people who joined with the provider do later. */

const NEW_PASSWORD = 'another horse battery staple';
const provider = await openProvider();
const { database, ...first } = await createTestService({ oidc: settingsFor(provider) });
const { pool } = first;
const company = await createTestDashboard(first).owner();
const newcomers = { workspaceId: company.workspaceId, role: 'viewer' } as const;
const dashboard = createTestDashboard(
  await createTestService({ database, oidc: settingsFor(provider, { newcomers }) }),
);
const { nobody } = dashboard;

const signIn = async (subject: string) =>
  finish(nobody.send, await goToProvider(nobody.send, provider, subject));

/** Adds a person to the provider, or gives them another address. */
function addPerson(email: string, subject: string): string {
  provider.people.set(subject, { sub: subject, email, email_verified: true });
  return subject;
}

/** A person whom the provider knows, after the first sign-in. */
async function newcomer() {
  const email = newEmail();
  const subject = addPerson(email, `subject of ${email}`);
  const cookie = sessionCookie(await signIn(subject)) ?? '';
  const { user } = (await nobody.send('GET', '/me', undefined, { headers: { cookie } })).json<Me>();
  return { email, subject, cookie, userId: user.id };
}
type Newcomer = Awaited<ReturnType<typeof newcomer>>;

const memberPath = async ({ userId }: Newcomer): Promise<string> => {
  const path = `/workspaces/${company.workspaceId}/members`;
  const { data } = (await company.send('GET', path)).json<{ data: Member[] }>();
  return `${path}/${data.find((member) => member.userId === userId)?.id}`;
};
const use = (token: string) => nobody.send('POST', '/password-reset', { token, password: NEW_PASSWORD });

const RESETS: readonly [how: string, set: (person: Newcomer) => Promise<unknown>][] = [
  [
    'the link of an owner',
    async (person) => {
      const answer = await company.send('POST', `${await memberPath(person)}/password-reset`, {});
      return use(tokenOf(answer.json<IssuedResetLink>().link));
    },
  ],
  [
    'the link of the operator',
    async ({ email }) => use(tokenOf(await createOperatorResetLink({ pool, publicUrl: PUBLIC_URL, email }))),
  ],
  [
    'the operator',
    ({ email }) => setUserPassword({ pool, auth: dashboard.auth, email, password: NEW_PASSWORD }),
  ],
];

test.each(RESETS)('a newcomer gets a first password from %s, and signs in with it', async (_, set) => {
  const person = await newcomer();
  await set(person);
  const entered = await dashboard.enter(person.email, NEW_PASSWORD);
  expect(entered.json()).toMatchObject({ user: { id: person.userId } });
  const headers = { cookie: sessionCookie(entered) ?? '' };
  const methods = await nobody.send('GET', '/auth/methods', undefined, { headers });
  expect(methods.json()).toEqual({ password: true, providerSince: expect.any(String) as string });
  await set(person);
  const { rowCount } = await pool.query('select 1 from accounts where user_id = $1', [person.userId]);
  expect(rowCount).toBe(2);
});

/** The person with a first password, signed in with it. */
async function withPassword(person: Newcomer) {
  await setUserPassword({ pool, auth: dashboard.auth, email: person.email, password: NEW_PASSWORD });
  const cookie = sessionCookie(await dashboard.enter(person.email, NEW_PASSWORD)) ?? '';
  const send = (method: 'POST' | 'PATCH', path: string, body: object) =>
    nobody.send(method, path, body, { headers: { cookie } });
  return { ...person, cookie, send };
}

/** Connects the person of a session to a person of the provider. */
async function connectTo(session: string, subject: string) {
  const send: typeof nobody.send = (method, path, body, options = {}) =>
    nobody.send(method, path, body, { ...options, headers: { cookie: session, ...options.headers } });
  const returned = await goToProvider(send, provider, subject, { password: NEW_PASSWORD });
  return finish(send, { ...returned, cookie: `${session}; ${returned.cookie}` });
}

test.each(RESETS)(
  'a connection that was made with a password ends with a new one from %s',
  async (_, set) => {
    const person = await withPassword(await newcomer());
    const left = await person.send('POST', '/auth/openid/disconnect', { password: NEW_PASSWORD });
    expect(left.status).toBe(204);
    const subject = addPerson(newEmail(), `stranger with the password of ${person.email}`);
    expect((await connectTo(person.cookie, subject)).status).toBe(200);
    expect((await signIn(subject)).status).toBe(200);
    await set(person);
    expectFailure(await signIn(subject), 'conflict');
    const { rows } = await pool.query<{ kind: string }>(
      `select kind from audit_log where workspace_id = $1 and target_id = $2 and kind like 'account.%'
     order by created_at desc limit 2`,
      [company.workspaceId, person.userId],
    );
    expect(rows.map(({ kind }) => kind)).toEqual(['account.password_reset', 'account.provider_disconnected']);
  },
);

test.each<[what: string, subjectOf: (person: Newcomer) => string]>([
  ['the address that the account had', ({ email }) => addPerson(email, `another ${email}`)],
  ['the identity that was connected', ({ subject }) => subject],
  ['the identity, with another address', ({ subject }) => addPerson(newEmail(), subject)],
])('a removed member does not join again with %s', async (_, subjectOf) => {
  const person = await withPassword(await newcomer());
  expect((await company.send('DELETE', await memberPath(person))).status).toBe(204);
  const email = newEmail();
  const moved = await person.send('PATCH', '/me', { email, currentPassword: NEW_PASSWORD });
  expect(moved.status).toBe(200);
  const left = await person.send('POST', '/auth/openid/disconnect', { password: NEW_PASSWORD });
  expect(left.status).toBe(204);
  const before = await pool.query('select id from users');
  const subject = subjectOf(person);
  expectFailure(await signIn(subject), 'conflict');
  expect((await pool.query('select id from users')).rows).toEqual(before.rows);

  // The account is still theirs: they connect it again, and sign in without a workspace.
  const entered = sessionCookie(await dashboard.enter(email, NEW_PASSWORD)) ?? '';
  await connectTo(entered, subject);
  const cookie = sessionCookie(await signIn(subject)) ?? '';
  const me = await nobody.send('GET', '/me', undefined, { headers: { cookie } });
  expect(me.json()).toMatchObject({ user: { id: person.userId, email }, workspaces: [] });
});

test('an address that another account had before joins with an invitation', async () => {
  const person = await withPassword(await newcomer());
  await person.send('PATCH', '/me', { email: newEmail(), currentPassword: NEW_PASSWORD });
  const invited = await company.send('POST', `/workspaces/${company.workspaceId}/invitations`, {
    email: person.email,
    role: 'viewer',
  });
  const { link } = invited.json<{ link: string }>();
  const answer = await nobody.send('POST', '/invitations/accept', {
    token: tokenOf(link),
    name: 'Bea',
    password: NEW_PASSWORD,
  });
  expect(answer.status).toBe(200);
  expect(answer.json()).not.toMatchObject({ userId: person.userId });
});
