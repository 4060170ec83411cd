import { describe, expect, test } from 'vitest';
import {
  createTestDashboard,
  PASSWORD,
  sessionCookie,
  type Visitor,
} from '../../../test/harness/dashboard.ts';
import { createTestService } from '../../../test/harness/service.ts';
import { totpCode } from '../../../test/harness/totp.ts';
import { deleteExpiredSignIns } from '../index.ts';
import { resetUserSecondFactor, setUserPassword } from '../people/operator.ts';

const service = await createTestService();
/** Another node of the same service. */
const node = await createTestService({ database: service.database });
const { pool } = service;
const dashboard = createTestDashboard(service);
const { nobody } = dashboard;

/** The response to a person's request at another node. */
const me = (visitor: Visitor) =>
  createTestDashboard(node).nobody.send('GET', '/me', undefined, {
    headers: { cookie: visitor.cookie },
  });
const reasonOf = async (visitor: Visitor): Promise<unknown> => (await me(visitor)).headers['session-ended'];

async function twoSessions() {
  const { userId, email } = await dashboard.bootstrap();
  const [here, there] = [await dashboard.signIn(userId, email), await dashboard.signIn(userId, email)];
  return { userId, email, here, there };
}

type Ending = (people: Awaited<ReturnType<typeof twoSessions>>) => Promise<unknown>;

const ENDINGS: Readonly<Record<string, readonly [reason: string, ending: Ending]>> = {
  'signed out in its own browser': ['signed_out', ({ there }) => there.send('POST', '/auth/sign-out')],
  'ended from another browser': ['revoked', ({ here }) => here.send('POST', '/auth/revoke-other-sessions')],
  'ended with all others': ['revoked', ({ here }) => here.send('POST', '/auth/revoke-sessions')],
  'ended by a new password': [
    'password_changed',
    ({ here }) =>
      here.send('POST', '/auth/change-password', {
        currentPassword: PASSWORD,
        newPassword: 'another horse, another battery',
        revokeOtherSessions: true,
      }),
  ],
  'ended by a new password of the operator': [
    'password_changed',
    ({ email }) =>
      setUserPassword({ pool, auth: dashboard.auth, email, password: 'another horse, another battery' }),
  ],
  'ended by a new second factor': [
    'second_factor_changed',
    async ({ here }) => {
      const enabled = await here.send('POST', '/auth/two-factor/enable', { password: PASSWORD });
      const code = totpCode(enabled.json<{ totpURI: string }>().totpURI);
      return here.send('POST', '/auth/two-factor/verify-totp', { code });
    },
  ],
  expired: [
    'expired',
    ({ userId }) =>
      pool.query(`update sessions set expires_at = now() - interval '1 second' where user_id = $1`, [userId]),
  ],
};

describe.each(Object.entries(ENDINGS))('a session that was %s', (_, [reason, ending]) => {
  test('is refused with the reason, on every node, however often it is asked', async () => {
    const people = await twoSessions();
    expect((await me(people.there)).status).toBe(200);
    await ending(people);
    for (let asked = 0; asked < 2; asked++) {
      const answer = await me(people.there);
      expect(answer.status).toBe(401);
      expect(answer.headers['session-ended']).toBe(reason);
      expect(answer.json()).toMatchObject({
        error: { code: 'not_signed_in', message: expect.stringMatching(/Sign in again\.$/) },
      });
    }
    const listed = await people.there.send('GET', '/auth/list-sessions');
    expect([listed.status, listed.headers['session-ended']]).toEqual([401, reason]);
    expect((await people.there.send('POST', '/auth/revoke-other-sessions')).headers['session-ended']).toBe(
      reason,
    );
  });
});

test('a session that lost its second factor by the operator is told so', async () => {
  const { email, here, there } = await twoSessions();
  const enabled = await here.send('POST', '/auth/two-factor/enable', { password: PASSWORD });
  const code = totpCode(enabled.json<{ totpURI: string }>().totpURI);
  const done = await here.send('POST', '/auth/two-factor/verify-totp', { code });
  await resetUserSecondFactor(pool, email);
  expect(await reasonOf({ ...there, cookie: sessionCookie(done) ?? '' })).toBe('second_factor_changed');
});

test('strangers learn nothing: only a cookie that the service has signed gets a reason', async () => {
  const { here, there } = await twoSessions();
  await here.send('POST', '/auth/revoke-other-sessions');
  const plain = await nobody.send('GET', '/me');
  for (const cookie of ['svc.session_token=x', `${there.cookie}x`, there.cookie.replace(/\.[^.]*$/, '')]) {
    const answer = await nobody.send('GET', '/me', undefined, { headers: { cookie } });
    expect(answer.text).toBe(plain.text);
    expect(answer.headers['session-ended']).toBeUndefined();
  }
});

test('the reasons hold no token, and are removed when the cookies have expired', async () => {
  const { userId, here, there } = await twoSessions();
  await here.send('POST', '/auth/revoke-other-sessions');
  const { rows } = await pool.query<{ row: string }>(
    'select ended_sessions::text as row from ended_sessions',
  );
  const token = decodeURIComponent(there.cookie).split('=')[1]?.split('.')[0] ?? '';
  expect(rows.length).toBeGreaterThan(0);
  for (const { row } of rows) {
    expect(row).not.toContain(token);
    expect(row).not.toContain(Buffer.from(token).toString('hex'));
    expect(row).not.toContain(userId);
  }
  await deleteExpiredSignIns(pool);
  expect(await reasonOf(there)).toBe('revoked');
  await pool.query(`update ended_sessions set ended_at = now() - interval '8 days'`);
  await deleteExpiredSignIns(pool);
  expect((await pool.query('select 1 from ended_sessions')).rowCount).toBe(0);
  expect(await reasonOf(there)).toBe('expired');
});
