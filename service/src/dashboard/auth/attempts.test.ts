import { beforeEach, describe, expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import {
  createTestDashboard,
  newEmail,
  PASSWORD,
  sessionCookie,
  type Visitor,
} from '../../../test/harness/dashboard.ts';
import { createTestService, type TestAnswer } from '../../../test/harness/service.ts';
import { totpCode } from '../../../test/harness/totp.ts';
import { deleteExpiredSignIns } from '../index.ts';

const service = await createTestService();
const second = await createTestService({ database: service.database });
const { pool } = service;
const dashboard = createTestDashboard(service);
const nodes = [dashboard.nobody, createTestDashboard(second).nobody];
const MAX = 30;
const CODES_MAX = 10;

beforeEach(async () => {
  await pool.query('delete from sign_in_attempts');
});

let addresses = 0;
const newAddress = (): string => `10.5.${addresses >> 8}.${addresses++ & 255}`;
const enter = (email: string, password: string, cookie = '', address = newAddress()): Promise<TestAnswer> =>
  (nodes[addresses % nodes.length] ?? dashboard.nobody).send(
    'POST',
    '/auth/sign-in/email',
    { email, password },
    { remoteAddress: address, headers: { cookie } },
  );
const cookieOf = ({ headers }: TestAnswer, name: string): string =>
  [headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => String(cookie).split(';')[0] ?? '')
    .find((cookie) => cookie.startsWith(`${name}=`)) ?? `${name}=not-set`;

/** Sends wrong passwords, each from another address. */
const guess = (email: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => enter(email, 'not the password')));
const statuses = (answers: readonly TestAnswer[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(answers, ({ status }) => status)).map(([status, all]) => [
      status,
      all?.length,
    ]),
  );

describe('wrong passwords for one account', () => {
  test('are limited over all addresses and nodes, whether or not the account exists', async () => {
    const { email } = await dashboard.bootstrap();
    for (const account of [email, newEmail()]) {
      expect(statuses(await guess(account, MAX + 4))).toEqual({ 401: MAX, 429: 4 });
      const refused = await enter(account.toUpperCase(), PASSWORD);
      expectFailure(refused, 'rate_limited');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
    }
    expect((await enter((await dashboard.bootstrap()).email, PASSWORD)).status).toBe(200);
  });

  test('do not lock out a person with a device of an earlier sign-in', async () => {
    const { email } = await dashboard.bootstrap();
    const device = cookieOf(await enter(email, PASSWORD), 'svc.device');
    await guess(email, MAX + 1);
    expectFailure(await enter(email, PASSWORD), 'rate_limited');
    expect((await enter(email, PASSWORD, device)).status).toBe(200);
  });

  test('do not lock out a person whose session is older than the cookie of the device', async () => {
    const owner = await dashboard.owner();
    const [first, again] = [await owner.send('GET', '/me'), await owner.send('GET', '/me')];
    const device = cookieOf(first, 'svc.device');
    expect([first.headers['set-cookie']].flat()).toHaveLength(1);
    // A session makes only one device known.
    expect(cookieOf(again, 'svc.device')).toBe(device);
    const both = { headers: { cookie: `${owner.cookie}; ${device}` } };
    expect((await owner.send('GET', '/me', undefined, both)).headers['set-cookie']).toBeUndefined();
    await owner.send('POST', '/auth/sign-out', {});
    expect(cookieOf(await owner.send('GET', '/me'), 'svc.device')).toBe('svc.device=not-set');
    await guess(owner.email, MAX + 1);
    expectFailure(await enter(owner.email, PASSWORD), 'rate_limited');
    expect((await enter(owner.email, PASSWORD, device)).status).toBe(200);
  });

  test('from the same address do not lock out a person with a known device', async () => {
    const { email } = await dashboard.bootstrap();
    const device = cookieOf(await enter(email, PASSWORD), 'svc.device');
    const address = newAddress();
    for (let i = 0; i < 11; i++) await enter(newEmail(), 'not the password', '', address);
    expectFailure(await enter(email, PASSWORD, '', address), 'rate_limited');
    expect((await enter(email, PASSWORD, device, address)).status).toBe(200);
  });

  test('are limited for a known device too, which is known only for its own people', async () => {
    const { email } = await dashboard.bootstrap();
    const stranger = await dashboard.bootstrap();
    const device = cookieOf(await enter(email, PASSWORD), 'svc.device');
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => enter(email, 'not the password', device)),
    );
    expect(statuses(answers)).toEqual({ 401: 10, 429: 2 });
    await guess(stranger.email, MAX);
    expectFailure(await enter(stranger.email, PASSWORD, device), 'rate_limited');
    expectFailure(await enter(stranger.email, PASSWORD, device.replace(/%20.*?(?=\.)/, '')), 'rate_limited');
  });

  test('count only if they are wrong, for an hour', async () => {
    const { email } = await dashboard.bootstrap();
    for (let i = 0; i < MAX + 1; i++) expect((await enter(email, PASSWORD)).status).toBe(200);
    await guess(email, MAX);
    expectFailure(await enter(email, PASSWORD), 'rate_limited');
    await pool.query(`update sign_in_attempts set ends_at = ends_at - interval '1 hour'`);
    expect((await enter(email, PASSWORD)).status).toBe(200);
    // The clock was ahead for a moment.
    await pool.query(`update sign_in_attempts set attempts = 1000, ends_at = ends_at + interval '1 day'`);
    expect((await enter(email, PASSWORD)).status).toBe(200);
    await pool.query(`update sign_in_attempts set ends_at = now() - interval '1 second'`);
    await deleteExpiredSignIns(pool);
    expect((await pool.query('select 1 from sign_in_attempts')).rowCount).toBe(0);
  });
});

const withSecondFactor = async (owner: Visitor) => {
  const enabled = await owner.send('POST', '/auth/two-factor/enable', { password: PASSWORD });
  const { totpURI } = enabled.json<{ totpURI: string }>();
  const done = await owner.send('POST', '/auth/two-factor/verify-totp', { code: totpCode(totpURI) });
  await pool.query('update second_factors set last_used_step = null');
  return { totpURI, device: cookieOf(done, 'svc.device') };
};
const tryCode = async ({ email }: Visitor, code: string, device = '') => {
  const cookie = `${cookieOf(await enter(email, PASSWORD, device), 'svc.two_factor')}; ${device}`;
  const options = { remoteAddress: newAddress(), headers: { cookie } };
  return dashboard.nobody.send('POST', '/auth/two-factor/verify-totp', { code }, options);
};

describe('wrong codes for one account', () => {
  test('by somebody who knows the password do not lock out a person with a known device', async () => {
    const owner = await dashboard.owner();
    const { totpURI, device } = await withSecondFactor(owner);
    for (let i = 0; i < CODES_MAX; i++) expectFailure(await tryCode(owner, '000000'), 'invalid_body');
    const refused = await tryCode(owner, totpCode(totpURI));
    expectFailure(refused, 'rate_limited');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(800);
    expect(sessionCookie(await tryCode(owner, totpCode(totpURI), device))).toBeDefined();
  });

  test('are limited over all known devices: more devices do not allow more codes', async () => {
    const owner = await dashboard.owner();
    const devices: string[] = [];
    for (let i = 0; i < MAX / CODES_MAX + 1; i++)
      devices.push(cookieOf(await enter(owner.email, PASSWORD), 'svc.device'));
    const { totpURI } = await withSecondFactor(owner);
    const [last = '', ...others] = devices;
    for (const device of others) {
      for (let i = 0; i < CODES_MAX; i++)
        expectFailure(await tryCode(owner, '000000', device), 'invalid_body');
    }
    expectFailure(await tryCode(owner, totpCode(totpURI), last), 'rate_limited');
  });
});

test('wrong current passwords are limited in a session', async () => {
  const owner = await dashboard.owner();
  const change = (currentPassword: string) =>
    owner.send(
      'POST',
      '/auth/change-password',
      { currentPassword, newPassword: `another ${PASSWORD}` },
      { remoteAddress: newAddress() },
    );
  for (let i = 0; i < 10; i++) expectFailure(await change('wrong'), 'invalid_body');
  expectFailure(await change(PASSWORD), 'rate_limited');
});

describe('an attempt that could not be checked does not count', () => {
  const counted = async (): Promise<number> => {
    const { rows } = await pool.query<{ attempts: number }>(
      'select coalesce(sum(attempts), 0)::int as attempts from sign_in_attempts',
    );
    return rows[0]?.attempts ?? 0;
  };
  const changePassword = (owner: Visitor) =>
    owner.send('POST', '/auth/change-password', {
      currentPassword: PASSWORD,
      newPassword: `another ${PASSWORD}`,
    });

  test('if the database is unavailable', async () => {
    const owner = await dashboard.owner();
    await withSecondFactor(owner);
    // Enabling the second factor has replaced the session of the first owner.
    const other = await dashboard.owner();
    const step = cookieOf(await enter(owner.email, PASSWORD), 'svc.two_factor');
    const code = (): Promise<TestAnswer> =>
      dashboard.nobody.send(
        'POST',
        '/auth/two-factor/verify-totp',
        { code: '000000' },
        { headers: { cookie: step } },
      );
    const holder = await pool.connect();
    try {
      await holder.query('begin');
      await holder.query('lock table accounts, second_factors in access exclusive mode');
      for (const attempt of [() => enter(owner.email, PASSWORD), code, () => changePassword(other)]) {
        expectFailure(await attempt(), 'unavailable');
        expect(await counted()).toBe(0);
      }
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expectFailure(await code(), 'invalid_body');
    expect(await counted()).toBe(2);
  });

  test('if only some of its budgets could be counted', async () => {
    const { email } = await dashboard.bootstrap();
    const address = newAddress();
    await enter(email, 'not the password', '', address);
    const holder = await pool.connect();
    try {
      await holder.query('begin');
      await enter(newEmail(), 'not the password', '', address);
      // Now the address has two attempts, and each account has one.
      await holder.query('select from sign_in_attempts where attempts = 1 for update');
      expectFailure(await enter(email, 'not the password', '', address), 'unavailable');
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect(await counted()).toBe(4);
  });

  test('if no secret decrypts the second factor', async () => {
    const owner = await dashboard.owner();
    const { totpURI } = await withSecondFactor(owner);
    await pool.query(`update second_factors set secret = '$ba$999$00' where user_id = $1`, [owner.userId]);
    for (let i = 0; i < CODES_MAX + 1; i++) {
      expectFailure(await tryCode(owner, totpCode(totpURI)), 'conflict');
    }
    expect(await counted()).toBe(0);
  });
});
