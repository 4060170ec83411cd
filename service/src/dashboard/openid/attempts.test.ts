import type { FastifyRequest } from 'fastify';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  cookiesOf,
  finish,
  goToProvider,
  openProvider,
  settingsFor,
} from '../../../test/dashboard/openid.ts';
import { createTestDashboard, PASSWORD } from '../../../test/harness/dashboard.ts';
import { createTestService, type TestAnswer } from '../../../test/harness/service.ts';
import { totpCode } from '../../../test/harness/totp.ts';
import { attemptOf } from './attempt.ts';

const provider = await openProvider();
const oidc = settingsFor(provider);
const one = await createTestService({ oidc });
const two = await createTestService({ database: one.database, clock: one.clock, oidc });
const dashboard = createTestDashboard(one);
const { nobody } = dashboard;
const onTwo = createTestDashboard(two).nobody;

const owner = await dashboard.owner();
const SUBJECT = 'ada';
provider.people.set(SUBJECT, { sub: SUBJECT, email: owner.email, email_verified: true });
const connecting = await goToProvider(owner.send, provider, SUBJECT, { password: PASSWORD });
await finish(owner.send, { ...connecting, cookie: `${owner.cookie}; ${connecting.cookie}` });

beforeEach(() => {
  provider.tamper = () => undefined;
});
const start = () => goToProvider(nobody.send, provider, SUBJECT);
const errorOf = ({ status, json }: TestAnswer) => ({
  status,
  ...json<{ error: { code: string; message: string } }>().error,
});
const STALE = expect.stringContaining('was not started in this browser') as string;

/** The cookies of a browser after an answer, as a Cookie header. */
function cookiesAfter(cookie: string, answer: TestAnswer): string {
  const jar = new Map(
    `${cookie}; ${cookiesOf(answer)}`.split('; ').map((each) => [each.split('=', 1)[0], each]),
  );
  return [...jar.values()].join('; ');
}

test('the second step is that of the person of the provider, also in a browser with the session of another one', async () => {
  const [person, before] = [await dashboard.owner(), await dashboard.owner()];
  provider.people.set('grace', { sub: 'grace', email: person.email, email_verified: true });
  const connected = await goToProvider(person.send, provider, 'grace', { password: PASSWORD });
  await finish(person.send, { ...connected, cookie: `${person.cookie}; ${connected.cookie}` });
  const enabled = await person.send('POST', '/auth/two-factor/enable', { password: PASSWORD });
  const { totpURI } = enabled.json<{ totpURI: string }>();
  await person.send('POST', '/auth/two-factor/verify-totp', { code: totpCode(totpURI) });
  await one.pool.query('update second_factors set last_used_step = null');

  const { answer, cookie } = await goToProvider(nobody.send, provider, 'grace');
  const browser = `${before.cookie}; ${cookie}`;
  const half = await finish(nobody.send, { answer, cookie: browser });
  expect(half.json()).toMatchObject({ twoFactorRedirect: true });
  const inBrowser = { headers: { cookie: cookiesAfter(browser, half) } };
  const code = totpCode(totpURI);
  const entered = await nobody.send('POST', '/auth/two-factor/verify-totp', { code }, inBrowser);
  expect(entered.status).toBe(200);
  const me = { headers: { cookie: cookiesAfter(browser, entered) } };
  expect((await nobody.send('GET', '/me', undefined, me)).json()).toMatchObject({
    user: { id: person.userId },
  });
});

test('a connection that began with the old password does not end after a new one', async () => {
  const person = await dashboard.owner();
  provider.people.set('mallory', { sub: 'mallory', email: 'mallory@example.com', email_verified: true });
  const { answer, cookie } = await goToProvider(person.send, provider, 'mallory', { password: PASSWORD });
  const change = { currentPassword: PASSWORD, newPassword: `another ${PASSWORD}` };
  expect((await person.send('POST', '/auth/change-password', change)).status).toBe(200);
  const connected = await finish(person.send, { answer, cookie: `${person.cookie}; ${cookie}` });
  expect(errorOf(connected)).toMatchObject({
    status: 401,
    message: 'Another person has signed in, or the password has changed. Start again.',
  });
  const methods = await person.send('GET', '/auth/methods');
  expect(methods.json()).toEqual({ password: true, providerSince: null });
});

describe('an answer of the provider', () => {
  test('works once, on all nodes, also if it is sent twice at the same time', async () => {
    const returned = await start();
    const both = await Promise.all([finish(nobody.send, returned), finish(onTwo.send, returned)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    expect(errorOf(await finish(onTwo.send, returned))).toMatchObject({ status: 401, message: STALE });
  });

  test('works only in the browser that started, with its state, for ten minutes', async () => {
    const returned = await start();
    const other = await start();
    const before = provider.requests.length;
    for (const refused of [
      { ...returned, cookie: '' },
      { ...returned, cookie: other.cookie },
      { ...returned, cookie: `${returned.cookie}x` },
      { ...returned, answer: { ...returned.answer, state: other.answer['state'] ?? '' } },
    ]) {
      const answer = await finish(nobody.send, refused);
      expect(errorOf(answer)).toMatchObject({ status: 401, message: STALE });
    }
    one.clock.now += 10 * 60 * 1000;
    expect(errorOf(await finish(nobody.send, other))).toMatchObject({ status: 401, message: STALE });
    expect(provider.requests).toHaveLength(before);
  });

  test('with two different cookies of the sign-in is refused', async () => {
    const returned = await start();
    const { cookie } = await start();
    const answer = await finish(nobody.send, { ...returned, cookie: `${returned.cookie}; ${cookie}` });
    expect(errorOf(answer)).toMatchObject({ status: 401, code: 'not_signed_in' });
  });

  test('removes the cookie of the sign-in, which scripts and other sites do not get', async () => {
    const started = await nobody.send('POST', '/auth/openid/start', {});
    expect(String(started.headers['set-cookie'])).toMatch(
      /^svc\.openid=[^;]+; Max-Age=600; Path=\/dashboard; HttpOnly; SameSite=Strict$/,
    );
    expect(cookiesOf(await finish(nobody.send, await start()))).toContain('svc.openid=;');
  });

  test('that denies the access says so', async () => {
    const answer = await finish(nobody.send, await goToProvider(nobody.send, provider, ''));
    expect(errorOf(answer)).toMatchObject({
      status: 401,
      message: 'The sign-in with Example ID was cancelled.',
    });
  });

  test('is limited per address like passwords, and other addresses are not', async () => {
    const returned = { answer: { state: 'wrong', code: 'wrong' }, cookie: '' };
    const from = '10.9.0.1';
    for (let i = 0; i < 10; i++) expect((await finish(nobody.send, returned, from)).status).toBe(401);
    expect((await finish(onTwo.send, returned, from)).status).toBe(429);
    expect((await finish(nobody.send, await start(), '10.9.0.2')).status).toBe(200);
  });
});

describe('the cookie of', () => {
  const stale = { state: 'wrong', code: 'wrong' };

  test('a sign-in is not that of a known device, which has its own limit', async () => {
    const from = '10.9.0.3';
    for (let i = 0; i < 10; i++) await finish(nobody.send, { answer: stale, cookie: '' }, from);
    const { cookie } = await start();
    const forged = cookie.replace('svc.openid=', 'svc.device=');
    expect((await finish(nobody.send, { answer: stale, cookie: forged }, from)).status).toBe(429);
    const known = cookiesOf(await dashboard.enter(owner.email, PASSWORD));
    expect((await finish(nobody.send, { answer: stale, cookie: known }, from)).status).toBe(401);
  });

  test('a device is not that of a sign-in', async () => {
    const known = cookiesOf(await dashboard.enter(owner.email, PASSWORD));
    const cookie = known.replace('svc.device=', 'svc.openid=');
    expect(errorOf(await finish(nobody.send, { answer: stale, cookie }))).toMatchObject({
      status: 401,
      message: STALE,
    });
  });

  test.each(['not JSON', 'null', '{}', '{"expiresAt":null}'])('a sign-in that holds %j is none', (text) => {
    const openid = Buffer.from(text).toString('base64url');
    expect(attemptOf({ signInCookies: { openid } } as FastifyRequest, 'state', 0)).toBeUndefined();
  });
});

describe('a provider that does not respond as it should', () => {
  test('gives an error in words, and leaves no code, token or secret in the log', async () => {
    provider.tamper = (path, response) => {
      if (path === '/token') response.status = 502;
    };
    const returned = await start();
    const answer = await finish(nobody.send, returned);
    expect(errorOf(answer)).toMatchObject({ status: 503, code: 'unavailable' });
    expect(answer.headers['retry-after']).toBe('5');
    const line = one.log.findLast((each) => each.includes('did not confirm a sign-in'));
    expect(line).toContain(String(answer.headers['request-id']));
    for (const hidden of [returned.answer['code'] ?? '', oidc.clientSecret, 'id_token', 'access_token'])
      expect(one.log.join('')).not.toContain(hidden);
  });

  test('delays neither a sign-in with a password nor a session', async () => {
    const asked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const returned = await Promise.all(Array.from({ length: 12 }, start));
    provider.tamper = (path) => {
      if (path !== '/token') return undefined;
      asked.resolve();
      return release.promise;
    };
    const waiting = returned.map((each) => finish(nobody.send, each));
    await asked.promise;
    expect((await dashboard.enter(owner.email, PASSWORD)).status).toBe(200);
    expect((await owner.send('GET', '/me')).status).toBe(200);
    release.resolve();
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
  });
});

test.each([
  '//evil.example',
  '/\\evil.example',
  'https://evil.example',
  'account',
  '',
  '/a\nb',
  'javascript:alert(1)',
])('the page after the sign-in is one of the dashboard, never %j', async (next) => {
  const answer = await nobody.send('POST', '/auth/openid/start', { next });
  expect(errorOf(answer)).toMatchObject({
    status: 400,
    message: expect.stringContaining('"next"') as string,
  });
});

test('the page after the sign-in is kept', async () => {
  const returned = await goToProvider(nobody.send, provider, SUBJECT, { next: '/account?tab=1' });
  expect((await finish(nobody.send, returned)).json()).toEqual({ next: '/account?tab=1' });
});

test('a service without a provider says so', async () => {
  const { nobody: without } = createTestDashboard(await createTestService({ database: one.database }));
  expect((await without.send('GET', '/auth/openid')).json()).toEqual({ provider: null });
  expect((await without.send('POST', '/auth/openid/start', {})).status).toBe(404);
  expect((await nobody.send('GET', '/auth/openid')).json()).toEqual({
    provider: { name: 'Example ID', admitsNewcomers: false },
  });
});
