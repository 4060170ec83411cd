import type { ErrorEnvelope } from '@svc/sdk';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { onFileEnd } from '../../../test/harness/cleanup.ts';
import {
  createTestDashboard,
  PASSWORD,
  PUBLIC_URL,
  sessionCookie,
  setCookieOf,
  tokenOf,
} from '../../../test/harness/dashboard.ts';
import { createTestService, TEST_SECRET } from '../../../test/harness/service.ts';
import { createApp } from '../../app.ts';
import { lanesOver } from '../../database/lanes.ts';
import { createPool } from '../../database/pool.ts';
import { createSignInLink, deleteExpiredSignIns } from '../index.ts';

const service = await createTestService();
const { pool } = service;
const dashboard = createTestDashboard(service);
const { enter, nobody } = dashboard;
const withCookie = (cookie: string | undefined) => ({ headers: { cookie: cookie ?? '' } });
describe('a session', () => {
  test('ends on the server when the person signs out', async () => {
    const { userId, email } = await dashboard.bootstrap();
    const visitor = await dashboard.signIn(userId, email);
    expect((await visitor.send('GET', '/me')).status).toBe(200);
    const out = await visitor.send('POST', '/auth/sign-out');
    expect(out.status).toBe(200);
    expect(setCookieOf(out)).toContain('Max-Age=0');
    const after = await visitor.send('GET', '/me');
    expect(after.status).toBe(401);
    expect(after.json<ErrorEnvelope>().error.code).toBe('not_signed_in');
  });

  test('expires after seven days, and is extended once a day', async () => {
    const { userId, email } = await dashboard.bootstrap();
    const visitor = await dashboard.signIn(userId, email);
    const expire = (interval: string) =>
      pool.query(`update sessions set expires_at = now() + $2::interval where user_id = $1`, [
        userId,
        interval,
      ]);
    expect(sessionCookie(await visitor.send('GET', '/me'))).toBeUndefined();
    await expire('5 days');
    expect(setCookieOf(await visitor.send('GET', '/me'))).toContain('Max-Age=604800');
    const { rows } = await pool.query(
      `select expires_at > now() + interval '6 days 23 hours' as moved from sessions where user_id = $1`,
      [userId],
    );
    expect(rows).toEqual([{ moved: true }]);
    await expire('-1 second');
    expect((await visitor.send('GET', '/me')).status).toBe(401);
  });

  test('refuses a cookie that was altered, forged or signed with another secret', async () => {
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

  test('refuses two different cookies of its name, and clears both', async () => {
    const { userId, email } = await dashboard.bootstrap();
    const { cookie } = await dashboard.signIn(userId, email);
    const stranger = await dashboard.owner();
    for (const both of [
      `${stranger.cookie}; ${cookie}`,
      `${cookie}; ${stranger.cookie}`,
      `${cookie}; ${cookie}x`,
    ]) {
      const answer = await nobody.send('GET', '/me', undefined, withCookie(both));
      expect(answer.status).toBe(401);
      expect(answer.json<ErrorEnvelope>().error.message).toContain('two different cookies');
      expect(setCookieOf(answer)).toMatch(
        /^svc\.session_token=; Max-Age=0; Path=\/dashboard; HttpOnly; SameSite=Strict$/,
      );
    }
    const same = await nobody.send('GET', '/me', undefined, withCookie(`${cookie}; ${cookie}; svc.other=1`));
    expect(same.json()).toMatchObject({ user: { email } });
  });

  test('is listed, and ended from another session, only by its own person', async () => {
    const { userId, email } = await dashboard.bootstrap();
    const [here, there] = [await dashboard.signIn(userId, email), await dashboard.signIn(userId, email)];
    const stranger = await dashboard.owner();
    const { rows } = await pool.query<{ id: string; token: string }>(
      'select id, token from sessions where user_id = $1',
      [userId],
    );
    const id = rows.find(({ token }) => there.cookie.includes(token))?.id;
    const sessions = (await here.send('GET', '/auth/list-sessions')).json<{ id: string }[]>();
    expect(sessions.map((session) => session.id).toSorted()).toEqual(rows.map((row) => row.id).toSorted());
    const refused = await stranger.send('POST', '/auth/revoke-session', { id });
    expect(refused.status).toBe(404);
    expect((await nobody.send('POST', '/auth/revoke-session', { id })).status).toBe(401);
    expect((await there.send('GET', '/me')).status).toBe(200);
    expect((await here.send('POST', '/auth/revoke-session', { id })).status).toBe(200);
    expect((await there.send('GET', '/me')).status).toBe(401);
    expect((await here.send('GET', '/me')).status).toBe(200);
  });

  test('has its token only in the cookie, and in no body of better-auth', async () => {
    const { userId, email } = await dashboard.bootstrap();
    const entered = await enter(email, PASSWORD);
    const cookie = withCookie(sessionCookie(entered));
    const read = (path: string) => nobody.send('GET', path, undefined, cookie);
    const bodies = [entered, await read('/auth/get-session'), await read('/auth/list-sessions')];
    const changed = await nobody.send(
      'POST',
      '/auth/change-password',
      { currentPassword: PASSWORD, newPassword: 'another ten characters', revokeOtherSessions: true },
      { remoteAddress: '10.2.1.1', headers: { ...cookie.headers, origin: PUBLIC_URL } },
    );
    bodies.push(changed);
    const { rows } = await pool.query<{ token: string }>('select token from sessions where user_id = $1', [
      userId,
    ]);
    const tokens = [entered, changed].map((answer) => sessionCookie(answer)?.split('=')[1]?.split('.')[0]);
    expect(tokens).toContain(rows[0]?.token);
    for (const { status, text } of bodies) {
      expect(status).toBe(200);
      expect(text).not.toContain('"token"');
      for (const token of tokens) expect(text).not.toContain(token);
    }
  });

  test('lets the person change the password with the old one', async () => {
    const { userId, email } = await dashboard.bootstrap();
    const [here, there] = [await dashboard.signIn(userId, email), await dashboard.signIn(userId, email)];
    const newPassword = 'another ten characters';
    let attempts = 0;
    const change = (currentPassword: string, next = newPassword) =>
      here.send(
        'POST',
        '/auth/change-password',
        { currentPassword, newPassword: next, revokeOtherSessions: true },
        { remoteAddress: `10.2.0.${++attempts}` },
      );
    expect((await change('wrong password')).status).toBe(400);
    expect((await change(PASSWORD, 'short')).json<ErrorEnvelope>().error.message).toBe(
      '"newPassword" must be 10 to 128 characters.',
    );
    expect((await change(PASSWORD)).status).toBe(200);
    expect((await there.send('GET', '/me')).status).toBe(401);
    expect((await enter(email, PASSWORD)).status).toBe(401);
    expect((await enter(email, newPassword)).status).toBe(200);
  });
});

describe('what has expired', () => {
  test('is deleted by the job: sessions, links, attempts, and nothing else', async () => {
    const { userId, email } = await dashboard.bootstrap();
    const [old, current] = [await dashboard.signIn(userId, email), await dashboard.signIn(userId, email)];
    await enter(email, 'not the password');
    const unused = await createSignInLink({ pool, publicUrl: PUBLIC_URL, userId });
    await deleteExpiredSignIns(pool);
    await pool.query('update sessions set expires_at = now() where token = $1', [
      decodeURIComponent(old.cookie).replace('svc.session_token=', '').split('.')[0],
    ]);
    await pool.query(`update one_time_links set expires_at = now()`);
    await pool.query('update rate_limits set last_request = last_request - 61000');
    const { rows } = await pool.query<{ attempts: number }>('select count(*) as attempts from rate_limits');
    expect(await deleteExpiredSignIns(pool)).toBe(2 + (rows[0]?.attempts ?? 0));
    expect(await deleteExpiredSignIns(pool)).toBe(0);
    expect((await current.send('GET', '/me')).status).toBe(200);
    expect((await nobody.send('POST', '/sign-in-link', { token: tokenOf(unused) })).status).toBe(400);
  });
});

describe('without its database', () => {
  test('sign-in, sessions and sign-out return 503', async () => {
    const url = 'postgres://nobody@127.0.0.1:1/none';
    const away = createPool({ url, max: 1, name: 'away', onError: () => undefined });
    const app = createApp({
      lanes: lanesOver(away),
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
      expect(answer.json<ErrorEnvelope>().error.code).toBe('unavailable');
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });
});
