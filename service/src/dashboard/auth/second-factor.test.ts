import { waitFor } from '@svc/embedded-postgres/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import {
  createTestDashboard,
  PASSWORD,
  sessionCookie,
  type TestDashboard,
  type Visitor,
} from '../../../test/harness/dashboard.ts';
import { waitingForLocks } from '../../../test/harness/locks.ts';
import { createTestService, type TestAnswer, type TestService } from '../../../test/harness/service.ts';
import { totpCode } from '../../../test/harness/totp.ts';
import { inTransaction } from '../../database/pool.ts';

interface Enabled {
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}
type Owner = Visitor & { readonly workspaceId: string };

let service: TestService;
let dashboard: TestDashboard;
beforeAll(async () => {
  service = await createTestService();
  dashboard = createTestDashboard(service);
});

let addresses = 0;
/** A new address for each request, so that the limit per address does not count other attempts. */
const elsewhere = () => ({ remoteAddress: `10.2.0.${++addresses}` });

/** The response to the password, before the second step. */
const firstStep = async ({ email }: Owner): Promise<TestAnswer> => dashboard.enter(email, PASSWORD);
const stepCookie = ({ headers }: TestAnswer): string =>
  [headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => String(cookie).split(';')[0] ?? '')
    .find((cookie) => cookie.startsWith('svc.two_factor=')) ?? 'no cookie was set';
const secondStep = (first: TestAnswer, path: string, code: string): Promise<TestAnswer> =>
  dashboard.nobody.send(
    'POST',
    `/auth/two-factor/${path}`,
    { code },
    {
      ...elsewhere(),
      headers: { cookie: stepCookie(first) },
    },
  );

async function withSecondFactor(): Promise<Owner & Enabled> {
  const owner = await dashboard.owner();
  const enabled = await owner.send('POST', '/auth/two-factor/enable', { password: PASSWORD }, elsewhere());
  const { totpURI, backupCodes } = enabled.json<Enabled>();
  const code = totpCode(totpURI);
  const done = await owner.send('POST', '/auth/two-factor/verify-totp', { code }, elsewhere());
  expect(done.status).toBe(200);
  await forgetCodes(owner);
  return { ...owner, totpURI, backupCodes };
}

/** Makes the used codes valid again, so that a test need not wait for the next one. */
const forgetCodes = ({ userId }: Owner) =>
  service.pool.query('update second_factors set last_used_step = null where user_id = $1', [userId]);

const kinds = async ({ workspaceId }: Owner): Promise<readonly string[]> => {
  const { rows } = await service.pool.query<{ kind: string }>(
    'select kind from audit_log where workspace_id = $1 order by created_at',
    [workspaceId],
  );
  return rows.map(({ kind }) => kind);
};

describe('a second factor', () => {
  test('is required only after an authenticator has shown a code', async () => {
    const owner = await dashboard.owner();
    const enabled = await owner.send('POST', '/auth/two-factor/enable', { password: PASSWORD }, elsewhere());
    const { totpURI, backupCodes } = enabled.json<Enabled>();
    expect(totpURI).toContain('otpauth://totp/svc%20(svc.test):');
    expect(new Set(backupCodes).size).toBe(10);
    expect(sessionCookie(await firstStep(owner))).toBeDefined();

    const wrong = await owner.send('POST', '/auth/two-factor/verify-totp', { code: '000000' }, elsewhere());
    expectFailure(wrong, 'invalid_body');
    await owner.send('POST', '/auth/two-factor/verify-totp', { code: totpCode(totpURI) }, elsewhere());
    const first = await firstStep(owner);
    expect(first.json()).toMatchObject({ twoFactorRedirect: true, twoFactorMethods: ['totp'] });
  });

  test('refuses a person who has only the password', async () => {
    const owner = await withSecondFactor();
    const first = await firstStep(owner);
    const cookie = [first.headers['set-cookie'] ?? []]
      .flat()
      .map((text) => String(text).split(';')[0])
      .join('; ');
    const me = await dashboard.nobody.send('GET', '/me', undefined, { headers: { cookie } });
    expectFailure(me, 'not_signed_in');
    expectFailure(await secondStep(first, 'verify-totp', '000000'), 'invalid_body');
    expectFailure(await secondStep(first, 'verify-backup-code', 'aaaaa-bbbbb'), 'invalid_body');
  });

  test('accepts the code of the authenticator', async () => {
    const owner = await withSecondFactor();
    const second = await secondStep(await firstStep(owner), 'verify-totp', totpCode(owner.totpURI));
    expect(second.text).not.toContain('"token"');
    const cookie = sessionCookie(second) ?? '';
    const me = await dashboard.nobody.send('GET', '/me', undefined, { headers: { cookie } });
    expect(me.json()).toMatchObject({ user: { email: owner.email } });
  });

  test('accepts each code of the authenticator once, on all nodes, also the one that enabled it', async () => {
    const owner = await dashboard.owner();
    const { totpURI } = (
      await owner.send('POST', '/auth/two-factor/enable', { password: PASSWORD }, elsewhere())
    ).json<Enabled>();
    const code = totpCode(totpURI);
    expect((await owner.send('POST', '/auth/two-factor/verify-totp', { code }, elsewhere())).status).toBe(
      200,
    );
    const again = await secondStep(await firstStep(owner), 'verify-totp', code);
    expectFailure(again, 'invalid_body');
    expect(again.text).toContain('was used before');
    await waitFor(async () => expect(await kinds(owner)).toContain('session.sign_in_failed'));

    const other = await createTestService({ database: service.database });
    const next = totpCode(totpURI, 1);
    const firsts = [await firstStep(owner), await firstStep(owner)];
    const answers = await Promise.all(
      [dashboard.nobody, createTestDashboard(other).nobody].map((nobody, n) =>
        nobody.send(
          'POST',
          '/auth/two-factor/verify-totp',
          { code: next },
          {
            ...elsewhere(),
            headers: { cookie: stepCookie(firsts[n] ?? again) },
          },
        ),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    // An earlier code is no longer accepted either.
    expectFailure(await secondStep(await firstStep(owner), 'verify-totp', code), 'invalid_body');
  });

  test('accepts each backup code once', async () => {
    const owner = await withSecondFactor();
    const [code = ''] = owner.backupCodes;
    const first = await secondStep(await firstStep(owner), 'verify-backup-code', code);
    expect(sessionCookie(first)).toBeDefined();
    expectFailure(await secondStep(await firstStep(owner), 'verify-backup-code', code), 'invalid_body');
  });

  test('accepts a backup code once, also when it is entered twice at the same time', async () => {
    const owner = await withSecondFactor();
    const [code = ''] = owner.backupCodes;
    const firsts = [await firstStep(owner), await firstStep(owner)];
    const { seconds } = await inTransaction(service.pool, async (client) => {
      await client.query('select from second_factors where user_id = $1 for update', [owner.userId]);
      const seconds = Promise.all(firsts.map((first) => secondStep(first, 'verify-backup-code', code)));
      await expect.poll(() => waitingForLocks(service.pool)).toBe(2);
      return { seconds };
    });
    const answers = (await seconds).toSorted((one, other) => one.status - other.status);
    expect(answers.map((answer) => sessionCookie(answer) !== undefined)).toEqual([true, false]);
    for (const refused of answers.slice(1)) expectFailure(refused, 'conflict');
  });

  test('allows five wrong codes per entered password', async () => {
    const owner = await withSecondFactor();
    const first = await firstStep(owner);
    for (let guess = 0; guess < 5; guess++) await secondStep(first, 'verify-totp', '000000');
    expectFailure(await secondStep(first, 'verify-totp', totpCode(owner.totpURI)), 'not_signed_in');
  });

  test('is disabled in a session with the password', async () => {
    const owner = await withSecondFactor();
    const second = await secondStep(await firstStep(owner), 'verify-totp', totpCode(owner.totpURI));
    const options = { ...elsewhere(), headers: { cookie: sessionCookie(second) ?? '' } };
    const wrong = { password: 'not the password' };
    expectFailure(
      await dashboard.nobody.send('POST', '/auth/two-factor/disable', wrong, options),
      'invalid_body',
    );
    await dashboard.nobody.send('POST', '/auth/two-factor/disable', { password: PASSWORD }, options);
    expect(sessionCookie(await firstStep(owner))).toBeDefined();
  });

  test('logs a sign-in if both factors were right, and a failed one if the code was wrong', async () => {
    const owner = await withSecondFactor();
    const before = (await kinds(owner)).length;
    const first = await firstStep(owner);
    expect((await kinds(owner)).slice(before)).toEqual(['session.password_accepted']);
    await secondStep(first, 'verify-totp', '000000');
    await waitFor(async () => {
      expect((await kinds(owner)).slice(before + 1)).toEqual(['session.sign_in_failed']);
    });
    await secondStep(first, 'verify-totp', totpCode(owner.totpURI));
    expect((await kinds(owner)).slice(before + 1)).toEqual(['session.sign_in_failed', 'session.signed_in']);
  });

  test('logs a wrong code, whatever other cookies the request has', async () => {
    const owner = await withSecondFactor();
    const before = (await kinds(owner)).length;
    const cookie = stepCookie(await firstStep(owner));
    const decoys = ['__Secure-svc.two_factor=x.y', 'x=svc.two_factor=x.y', 'svc.two_factor_=x.y'];
    for (const [n, decoy] of decoys.entries()) {
      const headers = { cookie: `${decoy}; ${cookie}` };
      const guess = { code: '000000' };
      const options = { ...elsewhere(), headers };
      expectFailure(
        await dashboard.nobody.send('POST', '/auth/two-factor/verify-totp', guess, options),
        'invalid_body',
      );
      await waitFor(async () => expect((await kinds(owner)).slice(before + 1)).toHaveLength(n + 1));
    }
    expect(new Set((await kinds(owner)).slice(before + 1))).toEqual(new Set(['session.sign_in_failed']));
    const two = { ...elsewhere(), headers: { cookie: `svc.two_factor=x.y; ${cookie}` } };
    expectFailure(
      await dashboard.nobody.send('POST', '/auth/two-factor/verify-totp', { code: '000000' }, two),
      'not_signed_in',
    );
  });

  test('ends the other sessions of the person when it is enabled', async () => {
    const owner = await dashboard.owner();
    const other = await dashboard.signIn(owner.userId, owner.email);
    const enabled = await owner.send('POST', '/auth/two-factor/enable', { password: PASSWORD }, elsewhere());
    expect((await other.send('GET', '/me')).status).toBe(200);
    const code = totpCode(enabled.json<Enabled>().totpURI);
    const done = await owner.send('POST', '/auth/two-factor/verify-totp', { code }, elsewhere());
    expect((await other.send('GET', '/me')).status).toBe(401);
    const cookie = sessionCookie(done) ?? '';
    expect((await dashboard.nobody.send('GET', '/me', undefined, { headers: { cookie } })).status).toBe(200);
  });
});
