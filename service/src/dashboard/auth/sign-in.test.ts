import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { waitFor } from '@svc/embedded-postgres/testing';
import type { ErrorEnvelope } from '@svc/sdk';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { onFileEnd } from '../../../test/harness/cleanup.ts';
import {
  createTestDashboard,
  newEmail,
  PASSWORD,
  sessionCookie,
  setCookieOf,
} from '../../../test/harness/dashboard.ts';
import { waitingForLocks } from '../../../test/harness/locks.ts';
import { findSecrets } from '../../../test/harness/secrets.ts';
import { createTestService, TEST_SECRET, type TestAnswer } from '../../../test/harness/service.ts';
import { createApp } from '../../app.ts';
import { lanesOver } from '../../database/lanes.ts';
import { inTransaction } from '../../database/pool.ts';

/** All requests that this process makes with fetch. */
const outgoing: unknown[] = [];
const REQUEST_CREATED = 'undici:request:create';
const note = (message: unknown): void => void outgoing.push(message);
subscribe(REQUEST_CREATED, note);
onFileEnd(async () => {
  unsubscribe(REQUEST_CREATED, note);
});

const service = await createTestService();
const { pool, log } = service;
const dashboard = createTestDashboard(service);
const { enter, nobody } = dashboard;
const withCookie = (cookie: string | undefined) => ({ headers: { cookie: cookie ?? '' } });
const logged = async (workspaceId: string) =>
  (
    await pool.query<{ kind: string; actor: string }>(
      `select kind, doc::json ->> 'actor' as actor from audit_log
       where workspace_id = $1 and kind like 'session.%' order by created_at`,
      [workspaceId],
    )
  ).rows;

describe('sign-in with a password', () => {
  test('sets a session cookie that scripts, other sites and the API do not get', async () => {
    const { email } = await dashboard.bootstrap();
    const answer = await enter(email.toUpperCase(), PASSWORD);
    expect(answer.status).toBe(200);
    expect(setCookieOf(answer)).toMatch(
      /^svc\.session_token=[^;]+; Max-Age=604800; Path=\/dashboard; HttpOnly; SameSite=Strict$/,
    );
    const me = await nobody.send('GET', '/me', undefined, withCookie(sessionCookie(answer)));
    expect(me.json()).toMatchObject({ user: { email } });
  });

  test('has Secure cookies and HSTS behind TLS, and only there', async () => {
    const app = createApp({
      lanes: lanesOver(pool),
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
    expect(setCookieOf(answer)).toMatch(
      /^__Secure-svc\.session_token=[^;]+; Max-Age=604800; Path=\/tools\/dashboard; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(answer.headers['strict-transport-security']).toMatch(/^max-age=\d+/);
    expect(answer.headers['content-security-policy']).toContain('upgrade-insecure-requests');
    const plain = await nobody.send('GET', '/me');
    expect(plain.headers['strict-transport-security']).toBeUndefined();
    expect(plain.headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
  });

  test('gives the same response to a wrong password and to an unknown address', async () => {
    const { email } = await dashboard.bootstrap();
    const wrong = await enter(email, 'not the password');
    const unknown = await enter(newEmail(), 'not the password');
    expect(wrong.status).toBe(401);
    expect(wrong.json<ErrorEnvelope>().error).toEqual({
      code: 'not_signed_in',
      message: 'Invalid email or password.',
    });
    expect(unknown.text).toBe(wrong.text);
    const names = ({ headers }: TestAnswer) => Object.keys(headers).toSorted();
    expect(names(unknown)).toEqual(names(wrong));
    expect(sessionCookie(wrong)).toBeUndefined();
  });

  test('allows ten attempts per minute and address, and says when to retry', async () => {
    const { email } = await dashboard.bootstrap();
    const address = '10.1.0.1';
    const attempts = await Promise.all(
      Array.from({ length: 14 }, () => enter(email, 'not the password', address)),
    );
    const refused = attempts.filter(({ status }) => status === 429);
    expect(attempts.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(refused).toHaveLength(4);
    expect(refused[0]?.json<ErrorEnvelope>().error.code).toBe('rate_limited');
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(50);
    expect((await enter(email, PASSWORD, address)).status).toBe(429);
    // The address is that of the connection, not that of a header.
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
    expect((await enter(email, PASSWORD)).status).toBe(200);
  });

  test('is logged in every workspace of the person, failed or not', async () => {
    const { email, workspaceId, userId } = await dashboard.bootstrap();
    const second = await dashboard.bootstrap(email);
    await enter(email, PASSWORD);
    await enter(email, 'not the password');
    await dashboard.signIn(userId, email);
    const expected = [
      { kind: 'session.signed_in', actor: email },
      { kind: 'session.sign_in_failed', actor: email },
      { kind: 'session.signed_in', actor: email },
    ];
    for (const workspace of [workspaceId, second.workspaceId]) {
      await waitFor(async () => {
        expect((await logged(workspace)).map(({ kind }) => kind).toSorted()).toEqual(
          expected.map(({ kind }) => kind).toSorted(),
        );
      });
      expect(new Set((await logged(workspace)).map(({ actor }) => actor))).toEqual(new Set([email]));
    }
  });

  test('is logged if it fails while the service stops', async () => {
    const node = await createTestService({ database: service.database });
    const { email, workspaceId } = await dashboard.bootstrap();
    const before = (await logged(workspaceId)).length;
    const { attempt, closed } = await inTransaction(pool, async (client) => {
      await client.query('lock table users in access exclusive mode');
      const attempt = createTestDashboard(node).enter(email, 'not the password');
      await expect.poll(() => waitingForLocks(pool)).toBe(1);
      return { attempt, closed: node.app.close() };
    });
    await closed;
    expect((await logged(workspaceId)).slice(before)).toMatchObject([{ kind: 'session.sign_in_failed' }]);
    expect((await attempt).status).toBe(401);
  });

  test('starts no session that it cannot log', async () => {
    const { email, workspaceId, userId } = await dashboard.bootstrap();
    await pool.query('delete from live_meters where workspace_id = $1', [workspaceId]);
    expect((await enter(email, PASSWORD)).status).toBe(500);
    const { rowCount } = await pool.query('select 1 from sessions where user_id = $1', [userId]);
    expect(rowCount).toBe(0);
  });
});

describe('the other endpoints of better-auth', () => {
  test('cannot be reached: sign-up, workspaces, members, reset, linked accounts', async () => {
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
      expect(answer.json<ErrorEnvelope>().error.code, path).toBe('not_found');
    }
    await expect(
      dashboard.auth.api.signUpEmail({ body: { email: newEmail(), password: PASSWORD, name: 'Eve' } }),
    ).rejects.toThrow(/sign up is not enabled/i);
  });

  test('return every error in the envelope, without a stack', async () => {
    const mistakes: readonly (readonly [unknown, number, string])[] = [
      [{ email: 'ada' }, 400, '"password" is missing'],
      [{ email: 'ada', password: 'x' }, 400, 'Invalid email.'],
      [{ email: { $ne: '' }, password: 'x' }, 400, '"email" must be text'],
      [{ email: 'ada@example.com', password: 'x', callbackURL: 'https://evil.test' }, 400, '"callbackURL"'],
      [[], 400, 'must be a JSON object'],
      [{ email: 'a\u0000@example.com', password: 'x' }, 400, 'U+0000'],
    ];
    for (const [n, [body, status, message]] of mistakes.entries()) {
      const answer = await nobody.send('POST', '/auth/sign-in/email', body, {
        remoteAddress: `10.3.0.${n}`,
      });
      expect(answer.status).toBe(status);
      const { error } = answer.json<ErrorEnvelope>();
      expect(error.code).toBe('invalid_body');
      expect(error.message).toContain(message);
    }
    const broken = await nobody.send('POST', '/auth/sign-in/email', undefined, { payload: '{"email"' });
    expect(broken.json<ErrorEnvelope>().error.code).toBe('invalid_body');
    const poisoned = await nobody.send('POST', '/auth/sign-in/email', undefined, {
      payload: '{"__proto__": {"a": 1}, "email": "x", "password": "y"}',
    });
    expect(poisoned.status).toBe(400);
  });
});

describe('everything in this file', () => {
  test('left no password, cookie, token or hash in the log of the service', async () => {
    const { rows } = await pool.query<{ secret: string }>(
      `select token as secret from sessions union all select password from accounts`,
    );
    expect(rows.length).toBeGreaterThan(10);
    expect(log.length).toBeGreaterThan(50);
    const all = log.join('');
    expect(findSecrets(all)).toEqual([]);
    for (const { secret } of rows) expect(all).not.toContain(secret);
    for (const secret of [PASSWORD, 'not the password', 'session_token']) expect(all).not.toContain(secret);
  });

  test('sent no request to another host', () => {
    expect(outgoing).toEqual([]);
  });
});
