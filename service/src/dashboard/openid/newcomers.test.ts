import { expect, test } from 'vitest';
import { finish, goToProvider, openProvider, settingsFor } from '../../../test/dashboard/openid.ts';
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

/** A person whom the provider knows, after the first sign-in. */
async function newcomer() {
  const email = newEmail();
  const subject = `subject of ${email}`;
  provider.people.set(subject, { sub: subject, email, email_verified: true });
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

test.each<[how: string, set: (person: Newcomer) => Promise<unknown>]>([
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
])('a newcomer gets a first password from %s, and signs in with it', async (_, set) => {
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
