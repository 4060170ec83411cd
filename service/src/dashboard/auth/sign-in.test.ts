import { pino } from 'pino';
import { describe, expect, test, vi } from 'vitest';
import { onFileEnd } from '../../../test/harness/cleanup.ts';
import {
  createTestDashboard,
  newEmail,
  PASSWORD,
  PUBLIC_URL,
  sessionCookie,
} from '../../../test/harness/dashboard.ts';
import { createTestService, TEST_SECRET, type TestAnswer } from '../../../test/harness/service.ts';
import { createApp } from '../../app.ts';
import { createPool } from '../../database/pool.ts';

interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string };
}

const service = await createTestService();
const { pool, log } = service;
const dashboard = createTestDashboard(service);
const { nobody } = dashboard;
let addresses = 0;
/** From an address of its own, so that attempts of other tests do not count. */
const signIn = (email: string, password: string, extra: object = {}, remoteAddress?: string) =>
  nobody.send(
    'POST',
    '/auth/sign-in/email',
    { email, password, ...extra },
    {
      remoteAddress: remoteAddress ?? `10.0.0.${++addresses}`,
    },
  );
const withCookie = (cookie: string | undefined) => ({ headers: { cookie: cookie ?? '' } });
const cookieOf = (answer: TestAnswer): string => String([answer.headers['set-cookie']].flat()[0]);
const logged = async (workspaceId: string) =>
  (
    await pool.query<{ kind: string; actor: string }>(
      `select kind, doc::json ->> 'actor' as actor from audit_log where workspace_id = $1 order by created_at`,
      [workspaceId],
    )
  ).rows;

describe('sign-in with a password', () => {
  test('opens a session by a cookie that no script reads, no other site sends and the API never gets', async () => {
    const { email } = await dashboard.bootstrap();
    const answer = await signIn(email.toUpperCase(), PASSWORD);
    expect(answer.status).toBe(200);
    expect(cookieOf(answer)).toMatch(
      /^svc\.session_token=[^;]+; Max-Age=604800; Path=\/dashboard; HttpOnly; SameSite=Strict$/,
    );
    const me = await nobody.send('GET', '/me', undefined, withCookie(sessionCookie(answer)));
    expect(me.json()).toMatchObject({ user: { email } });
  });

  test('has Secure cookies and HSTS behind TLS, and only there', async () => {
    const app = createApp({
      pool,
      secrets: [TEST_SECRET],
      config: { trustProxy: false, failedAuthPerMinute: 1, publicUrl: 'https://svc.test/tools' },
      log: pino({ level: 'silent' }),
    });
    onFileEnd(() => app.close());
    const { email } = await dashboard.bootstrap();
    const answer = await app.inject({
      method: 'POST',
      url: '/dashboard/api/auth/sign-in/email',
      headers: { 'content-type': 'application/json', origin: 'https://svc.test' },
      payload: { email, password: PASSWORD },
    });
    expect(answer.headers['set-cookie']).toMatch(
      /^__Secure-svc\.session_token=[^;]+; Max-Age=604800; Path=\/tools\/dashboard; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(answer.headers['strict-transport-security']).toMatch(/^max-age=\d+/);
    expect(answer.headers['content-security-policy']).toContain('upgrade-insecure-requests');
    const plain = await nobody.send('GET', '/me');
    expect(plain.headers['strict-transport-security']).toBeUndefined();
    expect(plain.headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
  });

  test('answers a wrong password and an unknown address alike', async () => {
    const { email } = await dashboard.bootstrap();
    const wrong = await signIn(email, 'not the password');
    const unknown = await signIn(newEmail(), 'not the password');
    expect(wrong.status).toBe(401);
    expect(wrong.json<ErrorBody>().error).toEqual({
      code: 'not_signed_in',
      message: 'Invalid email or password.',
    });
    expect(unknown.text).toBe(wrong.text);
    const names = ({ headers }: TestAnswer) => Object.keys(headers).toSorted();
    expect(names(unknown)).toEqual(names(wrong));
    expect(sessionCookie(wrong)).toBeUndefined();
  });

  test('lets one address try ten times a minute, and says when to come back', async () => {
    const { email } = await dashboard.bootstrap();
    const address = '10.1.0.1';
    const attempts = await Promise.all(
      Array.from({ length: 14 }, () => signIn(email, 'not the password', {}, address)),
    );
    const refused = attempts.filter(({ status }) => status === 429);
    expect(attempts.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(refused).toHaveLength(4);
    expect(refused[0]?.json<ErrorBody>().error.code).toBe('rate_limited');
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(50);
    expect((await signIn(email, PASSWORD, {}, address)).status).toBe(429);
    // An address is what the connection says, not what a header claims.
    const forged = await nobody.send(
      'POST',
      '/auth/sign-in/email',
      { email, password: PASSWORD },
      {
        remoteAddress: address,
        headers: { 'x-forwarded-for': '10.9.9.9', 'x-svc-address': '10.9.9.9' },
      },
    );
    expect(forged.status).toBe(429);
    expect((await signIn(email, PASSWORD)).status).toBe(200);
  });

  test('is logged in every workspace of the person, failed or not', async () => {
    const { email, workspaceId, userId } = await dashboard.bootstrap();
    const second = await dashboard.bootstrap(email);
    await signIn(email, PASSWORD);
    await signIn(email, 'not the password');
    await dashboard.signIn(userId, email);
    const expected = [
      { kind: 'session.signed_in', actor: email },
      { kind: 'session.sign_in_failed', actor: email },
      { kind: 'session.signed_in', actor: email },
    ];
    for (const workspace of [workspaceId, second.workspaceId]) {
      await vi.waitFor(async () => {
        expect((await logged(workspace)).map(({ kind }) => kind).toSorted()).toEqual(
          expected.map(({ kind }) => kind).toSorted(),
        );
      });
      expect(new Set((await logged(workspace)).map(({ actor }) => actor))).toEqual(new Set([email]));
    }
  });

  test('opens no session that it cannot log', async () => {
    const { email, workspaceId, userId } = await dashboard.bootstrap();
    await pool.query('delete from live_meters where workspace_id = $1', [workspaceId]);
    expect((await signIn(email, PASSWORD)).status).toBe(500);
    const { rowCount } = await pool.query('select 1 from sessions where user_id = $1', [userId]);
    expect(rowCount).toBe(0);
  });
});

describe('a session', () => {
  test('ends on the server when its person signs out', async () => {
    const { userId, email } = await dashboard.bootstrap();
    const visitor = await dashboard.signIn(userId, email);
    expect((await visitor.send('GET', '/me')).status).toBe(200);
    const out = await visitor.send('POST', '/auth/sign-out');
    expect(out.status).toBe(200);
    expect(cookieOf(out)).toContain('Max-Age=0');
    const after = await visitor.send('GET', '/me');
    expect(after.status).toBe(401);
    expect(after.json<ErrorBody>().error.code).toBe('not_signed_in');
  });

  test('ends seven days after it was last moved on, and moves on once a day', async () => {
    const { userId, email } = await dashboard.bootstrap();
    const visitor = await dashboard.signIn(userId, email);
    const expire = (interval: string) =>
      pool.query(`update sessions set expires_at = now() + $2::interval where user_id = $1`, [
        userId,
        interval,
      ]);
    expect((await visitor.send('GET', '/me')).headers['set-cookie']).toBeUndefined();
    await expire('5 days');
    expect(cookieOf(await visitor.send('GET', '/me'))).toContain('Max-Age=604800');
    const { rows } = await pool.query(
      `select expires_at > now() + interval '6 days 23 hours' as moved from sessions where user_id = $1`,
      [userId],
    );
    expect(rows).toEqual([{ moved: true }]);
    await expire('-1 second');
    expect((await visitor.send('GET', '/me')).status).toBe(401);
  });

  test('is not opened by a cookie that was altered, forged or signed with another secret', async () => {
    const { userId, email } = await dashboard.bootstrap();
    const { cookie } = await dashboard.signIn(userId, email);
    const [token, signature] = decodeURIComponent(cookie).replace('svc.session_token=', '').split('.');
    const { rows } = await pool.query('select token from sessions where user_id = $1', [userId]);
    expect(rows).toEqual([{ token }]);
    for (const forged of [
      `${token}`,
      `${token}.`,
      `${token}.${signature?.replace(/^./, '-')}`,
      `x.${signature}`,
    ]) {
      const answer = await nobody.send(
        'GET',
        '/me',
        undefined,
        withCookie(`svc.session_token=${encodeURIComponent(forged)}`),
      );
      expect(answer.status, forged).toBe(401);
    }
  });

  test('is listed, and ended from another one, by its own person alone', async () => {
    const { userId, email } = await dashboard.bootstrap();
    const [here, there] = [await dashboard.signIn(userId, email), await dashboard.signIn(userId, email)];
    const stranger = await dashboard.owner();
    const sessions = (await here.send('GET', '/auth/list-sessions')).json<{ token: string }[]>();
    expect(sessions).toHaveLength(2);
    const other = sessions.find(({ token }) => there.cookie.includes(token));
    await stranger.send('POST', '/auth/revoke-session', { token: other?.token });
    expect((await there.send('GET', '/me')).status).toBe(200);
    await here.send('POST', '/auth/revoke-session', { token: other?.token });
    expect((await there.send('GET', '/me')).status).toBe(401);
    expect((await here.send('GET', '/me')).status).toBe(200);
  });

  test('lets its person change the password, who is asked for the old one', async () => {
    const { userId, email } = await dashboard.bootstrap();
    const [here, there] = [await dashboard.signIn(userId, email), await dashboard.signIn(userId, email)];
    const newPassword = 'another ten characters';
    const change = (currentPassword: string, next = newPassword) =>
      here.send(
        'POST',
        '/auth/change-password',
        { currentPassword, newPassword: next, revokeOtherSessions: true },
        { remoteAddress: `10.2.0.${++addresses}` },
      );
    expect((await change('wrong password')).status).toBe(400);
    expect((await change(PASSWORD, 'short')).json<ErrorBody>().error.message).toBe(
      '"newPassword" must be 10 to 128 characters.',
    );
    expect((await change(PASSWORD)).status).toBe(200);
    expect((await there.send('GET', '/me')).status).toBe(401);
    expect((await signIn(email, PASSWORD)).status).toBe(401);
    expect((await signIn(email, newPassword)).status).toBe(200);
  });
});

describe('what better-auth offers beyond sign-in', () => {
  test('cannot be reached: no sign-up, no workspaces, no members, no reset, no links to accounts', async () => {
    const owner = await dashboard.owner();
    const paths = [
      ['POST', '/auth/sign-up/email', { email: newEmail(), password: PASSWORD, name: 'Eve' }],
      ['POST', '/auth/sign-in/social', { provider: 'github' }],
      ['POST', '/auth/organization/create', { name: 'x', slug: 'x' }],
      ['POST', '/auth/organization/delete', { organizationId: owner.workspaceId }],
      ['POST', '/auth/organization/update', { organizationId: owner.workspaceId, data: { name: 'x' } }],
      ['POST', '/auth/organization/invite-member', { email: newEmail(), role: 'owner' }],
      ['GET', '/auth/organization/list-invitations', undefined],
      ['POST', '/auth/update-user', { name: 'x' }],
      ['POST', '/auth/change-email', { newEmail: newEmail() }],
      ['POST', '/auth/delete-user', {}],
      ['POST', '/auth/request-password-reset', { email: owner.email }],
      ['POST', '/auth/start-session', { userId: owner.userId }],
      ['GET', '/auth/error', undefined],
      ['GET', '/auth/ok', undefined],
      ['POST', '/auth//sign-up/email', {}],
      ['POST', '/auth/sign-in/email/../../sign-up/email', {}],
    ] as const;
    for (const [method, path, body] of paths) {
      const answer = await owner.send(method, path, body);
      expect(answer.status, path).toBe(404);
      expect(answer.json<ErrorBody>().error.code, path).toBe('not_found');
    }
    await expect(
      dashboard.auth.api.signUpEmail({ body: { email: newEmail(), password: PASSWORD, name: 'Eve' } }),
    ).rejects.toThrow(/sign up is not enabled/i);
  });

  test('answers every mistake in the envelope and never with a stack', async () => {
    const mistakes: readonly (readonly [unknown, number, string])[] = [
      [{ email: 'ada' }, 400, '"password" is missing'],
      [{ email: 'ada', password: 'x' }, 400, 'Invalid email.'],
      [{ email: { $ne: '' }, password: 'x' }, 400, '"email" must be text'],
      [{ email: 'ada@example.com', password: 'x', callbackURL: 'https://evil.test' }, 400, '"callbackURL"'],
      [[], 400, 'must be a JSON object'],
      [{ email: 'a\u0000@example.com', password: 'x' }, 400, 'U+0000'],
    ];
    for (const [body, status, message] of mistakes) {
      const answer = await nobody.send('POST', '/auth/sign-in/email', body, {
        remoteAddress: `10.3.0.${++addresses}`,
      });
      expect(answer.status).toBe(status);
      const { error } = answer.json<ErrorBody>();
      expect(error.code).toBe('invalid_body');
      expect(error.message).toContain(message);
    }
    const broken = await nobody.send('POST', '/auth/sign-in/email', undefined, { payload: '{"email"' });
    expect(broken.json<ErrorBody>().error.code).toBe('invalid_body');
    const poisoned = await nobody.send('POST', '/auth/sign-in/email', undefined, {
      payload: '{"__proto__": {"a": 1}, "email": "x", "password": "y"}',
    });
    expect(poisoned.status).toBe(400);
  });
});

describe('without its database', () => {
  test('sign-in and sessions answer 503, and a sign-out does not pretend', async () => {
    const url = 'postgres://nobody@127.0.0.1:1/none';
    const away = createPool({ url, max: 1, name: 'away', onError: () => undefined });
    const app = createApp({
      pool: away,
      secrets: [TEST_SECRET],
      config: { trustProxy: false, failedAuthPerMinute: 1, publicUrl: PUBLIC_URL },
      log: pino({ level: 'silent' }),
    });
    onFileEnd(async () => {
      await app.close();
      await away.end();
    });
    const { userId, email } = await dashboard.bootstrap();
    const { cookie } = await dashboard.signIn(userId, email);
    const requests = [
      { method: 'GET', url: '/dashboard/api/me' },
      { method: 'GET', url: '/dashboard/api/auth/get-session' },
      { method: 'POST', url: '/dashboard/api/auth/sign-in/email', payload: { email, password: PASSWORD } },
      { method: 'POST', url: '/dashboard/api/auth/sign-out', payload: {} },
      { method: 'POST', url: '/dashboard/api/sign-in-link', payload: { token: 'x' } },
    ] as const;
    for (const request of requests) {
      const answer = await app.inject({ ...request, headers: { cookie, origin: PUBLIC_URL } });
      expect(answer.statusCode, request.url).toBe(503);
      expect(answer.json<ErrorBody>().error.code).toBe('unavailable');
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });
});

describe('the log of the service', () => {
  test('holds no password, cookie, token or hash of all that happened here', async () => {
    const { rows } = await pool.query<{ secret: string }>(
      `select token as secret from sessions union all select password from accounts`,
    );
    expect(rows.length).toBeGreaterThan(10);
    const all = log.join('');
    expect(log.length).toBeGreaterThan(50);
    for (const { secret } of rows) expect(all).not.toContain(secret);
    for (const secret of [PASSWORD, 'not the password', 'session_token']) expect(all).not.toContain(secret);
  });
});
