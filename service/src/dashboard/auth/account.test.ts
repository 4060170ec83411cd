import { describe, expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import {
  createTestDashboard,
  PASSWORD,
  PUBLIC_URL,
  tokenOf,
  type Visitor,
} from '../../../test/harness/dashboard.ts';
import { waitingForLocks } from '../../../test/harness/locks.ts';
import { createTestService, type TestAnswer } from '../../../test/harness/service.ts';
import { totpCode } from '../../../test/harness/totp.ts';
import { OPERATOR } from '../../audit-log/actor.ts';
import { inTransaction } from '../../database/pool.ts';
import { hashPassword, lockPerson } from '../people/accounts.ts';
import { createSignInLink, endWaitingSignIns } from '../people/links.ts';
import { createOperatorResetLink } from '../people/operator.ts';
import { resetPassword } from '../people/password-reset.ts';
import type { SessionOfList } from '../wire.ts';

const service = await createTestService();
const { pool } = service;
const dashboard = createTestDashboard(service);

const insertSession = `insert into sessions (id, token, user_id, expires_at, created_at, updated_at)
  select 'ses_' || i || $1, 'token_' || i || $1, $1, now() + interval '1 day', now() - i * interval '1 hour', now()
  from generate_series(1, $2::int) i`;
const tokensOf = async ({ userId }: Visitor): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ token: string }>('select token from sessions where user_id = $1', [
    userId,
  ]);
  return rows.map(({ token }) => token);
};

/** How many statements wait for a lock of this kind. */
const waitingFor = async (kind: string): Promise<number | null> =>
  (
    await pool.query(`select 1 from pg_stat_activity where wait_event_type = 'Lock' and wait_event = $1`, [
      kind,
    ])
  ).rowCount;

const NEW_PASSWORD = `another ${PASSWORD}`;
const change = (who: Visitor, currentPassword: string, newPassword: string) =>
  who.send('POST', '/auth/change-password', { currentPassword, newPassword });
const deviceOf = ({ headers }: TestAnswer): string =>
  /svc\.device=[^;]+/.exec([headers['set-cookie']].flat().join('; '))?.[0] ?? 'no cookie was set';
const enter = ({ email }: Visitor, password: string, cookie: string) =>
  dashboard.nobody.send('POST', '/auth/sign-in/email', { email, password }, { headers: { cookie } });

describe('the sessions of a person', () => {
  test('are all ended but one, however many they are, and the log has their number', async () => {
    const owner = await dashboard.owner();
    await pool.query(insertSession, [owner.userId, 150]);
    expect((await owner.send('POST', '/auth/revoke-other-sessions', {})).status).toBe(200);
    expect(await tokensOf(owner)).toHaveLength(1);
    expect((await owner.send('GET', '/me')).status).toBe(200);
    const { rows } = await pool.query(
      `select doc::json -> 'details' as details from audit_log where workspace_id = $1 and kind = 'session.ended'`,
      [owner.workspaceId],
    );
    expect(rows).toEqual([{ details: { sessions: 150 } }]);
  });

  test('are listed, the newest 100, and ended one by one, also after days', async () => {
    const owner = await dashboard.owner();
    const list = async () =>
      (await owner.send('GET', '/auth/list-sessions')).json<readonly SessionOfList[]>();
    const [own] = await list();
    await pool.query(insertSession, [owner.userId, 150]);
    await pool.query(
      `update sessions set created_at = created_at - interval '3 days', updated_at = created_at where user_id = $1`,
      [owner.userId],
    );
    const ids = Array.from({ length: 150 }, (_, i) => `ses_${i + 1}${owner.userId}`);
    expect((await list()).map(({ id }) => id)).toEqual([own?.id, ...ids.slice(0, 99)]);
    const last = { id: ids.at(-1) };
    expect((await owner.send('POST', '/auth/revoke-session', last)).status).toBe(200);
    expect(await tokensOf(owner)).not.toContain(`token_150${owner.userId}`);
    expectFailure(await owner.send('POST', '/auth/revoke-session', last), 'not_found');
  });
});

describe('a new password', () => {
  test('makes all devices unknown, except the browser that sets it', async () => {
    const owner = await dashboard.owner();
    await enter(owner, 'a guess', '');
    const old = deviceOf(await dashboard.enter(owner.email, PASSWORD));
    const changed = deviceOf(await change(owner, PASSWORD, NEW_PASSWORD));
    await pool.query('update sign_in_attempts set attempts = 1000');
    expectFailure(await enter(owner, NEW_PASSWORD, old), 'rate_limited');
    expect((await enter(owner, NEW_PASSWORD, changed)).status).toBe(200);

    const link = await createOperatorResetLink({ pool, publicUrl: PUBLIC_URL, email: owner.email });
    const body = { token: tokenOf(link), password: PASSWORD };
    const reset = deviceOf(await dashboard.nobody.send('POST', '/password-reset', body));
    for (const device of [old, changed]) expectFailure(await enter(owner, PASSWORD, device), 'rate_limited');
    expect((await enter(owner, PASSWORD, reset)).status).toBe(200);
  });

  test('ends the second steps and the links of the old one, of this person only', async () => {
    const [owner, other] = [await dashboard.owner(), await dashboard.owner()];
    for (const { userId, email } of [owner, other]) {
      await pool.query('update users set two_factor_enabled = true where id = $1', [userId]);
      expect((await dashboard.enter(email, PASSWORD)).json()).toMatchObject({ twoFactorRedirect: true });
      await createSignInLink({ pool, publicUrl: PUBLIC_URL, userId });
      await createOperatorResetLink({ pool, publicUrl: PUBLIC_URL, email });
    }
    const waiting = async ({ userId }: Visitor): Promise<number | null> => {
      const { rowCount } = await pool.query(
        `select value from verifications where value = $1
         union all select subject from one_time_links where subject = $1`,
        [userId],
      );
      return rowCount;
    };
    expectFailure(await change(owner, 'not the password', NEW_PASSWORD), 'invalid_body');
    expect(await waiting(owner)).toBe(3);
    expect((await change(owner, PASSWORD, NEW_PASSWORD)).status).toBe(200);
    expect([await waiting(owner), await waiting(other)]).toEqual([0, 3]);
  });
});

test('a sign-in link that is opened while the password changes is refused, without a deadlock', async () => {
  const { userId } = await dashboard.owner();
  const token = tokenOf(await createSignInLink({ pool, publicUrl: PUBLIC_URL, userId }));
  const { opened } = await inTransaction(pool, async (client) => {
    await lockPerson(client, userId);
    const opened = dashboard.nobody.send('POST', '/sign-in-link', { token });
    await expect.poll(() => waitingForLocks(pool)).toBe(1);
    await client.query(endWaitingSignIns(userId));
    return { opened };
  });
  expectFailure(await opened, 'invalid_body');
});

test('a second step that starts while a reset runs ends with the reset', async () => {
  const owner = await dashboard.owner();
  await pool.query('update users set two_factor_enabled = true where id = $1', [owner.userId]);
  const hash = await hashPassword(dashboard.auth, NEW_PASSWORD);
  await pool.query(`
    create function wait_for_test() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock_shared(1); return new; end';
    create trigger wait_for_test before insert on verifications for each row execute function wait_for_test()`);
  const { entered } = await inTransaction(pool, async (reset) => {
    const { entered } = await inTransaction(pool, async (holder) => {
      await holder.query('select pg_advisory_xact_lock(1)');
      const entered = dashboard.enter(owner.email, PASSWORD);
      await expect.poll(() => waitingFor('advisory')).toBe(1);
      await lockPerson(reset, owner.userId);
      await resetPassword(reset, OPERATOR, owner.userId, hash, 'operator');
      return { entered };
    });
    await expect.poll(() => waitingFor('transactionid')).toBe(1);
    return { entered };
  });
  await pool.query('drop trigger wait_for_test on verifications');
  expectFailure(await entered, 'not_signed_in');
  expect((await pool.query('select 1 from verifications where value = $1', [owner.userId])).rowCount).toBe(0);
});

test.each<[path: string, body: object]>([
  ['/auth/sign-out', {}],
  ['/auth/revoke-sessions', {}],
  ['/auth/revoke-other-sessions', {}],
  ['/auth/change-password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }],
  ['/auth/two-factor/enable', { password: PASSWORD }],
])('%s does not wait for somebody else behind the same address', async (path, body) => {
  const owner = await dashboard.owner();
  const answer = await inTransaction(pool, async (client) => {
    await client.query('lock table rate_limits in access exclusive mode');
    return owner.send('POST', path, body);
  });
  expect(answer.status).toBe(200);
});

describe('a second factor that is switched on at the same time', () => {
  test('undoes a sign-in that began without it', async () => {
    const owner = await dashboard.owner();
    const before = await tokensOf(owner);
    const { entered } = await inTransaction(pool, async (client) => {
      await lockPerson(client, owner.userId);
      await client.query('update users set two_factor_enabled = true where id = $1', [owner.userId]);
      const entered = dashboard.enter(owner.email, PASSWORD);
      await expect.poll(() => waitingForLocks(pool)).toBe(1);
      return { entered };
    });
    expectFailure(await entered, 'not_signed_in');
    expect(await tokensOf(owner)).toEqual(before);
  });

  test('waits for a session that starts, and ends it', async () => {
    const owner = await dashboard.owner();
    const enabled = await owner.send('POST', '/auth/two-factor/enable', { password: PASSWORD });
    const code = totpCode(enabled.json<{ totpURI: string }>().totpURI);
    const { confirmed } = await inTransaction(pool, async (client) => {
      await client.query(insertSession, [owner.userId, 1]);
      const confirmed = owner.send('POST', '/auth/two-factor/verify-totp', { code });
      await expect.poll(() => waitingForLocks(pool)).toBe(1);
      return { confirmed };
    });
    expect((await confirmed).status).toBe(200);
    expect(await tokensOf(owner)).toHaveLength(1);
    expect(await tokensOf(owner)).not.toContain(`token_1${owner.userId}`);
  });
});
