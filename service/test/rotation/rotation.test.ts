import { beforeEach, describe, expect, test } from 'vitest';
import { resealSecondFactors } from '../../src/dashboard/auth/sealed-factors.ts';
import { createInvitationLink, createSignInLink } from '../../src/dashboard/people/links.ts';
import { inTransaction } from '../../src/database/pool.ts';
import { expectFailure } from '../harness/answers.ts';
import { newEmail, PUBLIC_URL, tokenOf } from '../harness/dashboard.ts';
import { TEST_SECRET } from '../harness/service.ts';
import {
  dashboard,
  done,
  KINDS,
  NEW,
  old,
  pool,
  prepared,
  rotated,
  secondStep,
  seenCookies,
  send,
  withSecondFactor,
} from './kinds.ts';

const SECRETS = [NEW, TEST_SECRET];

beforeEach(async () => {
  await pool.query('delete from second_factors; delete from sign_in_attempts');
});

describe.each(Object.entries(KINDS))('a value of the kind "%s"', (_, { make, use, refusal }) => {
  test('works while its secret is listed, at any position', async () => {
    for (const node of [old, prepared, rotated]) expect((await use(node, await make())).status).toBe(200);
  });

  test('is refused with a message, never with a 500, when its secret was removed', async () => {
    expectFailure(await use(done, await make()), refusal);
  });
});

const MOVING = Object.entries(KINDS).flatMap(([name, { make, use, move }]) =>
  move === undefined ? [] : [{ name, make, use, move }],
);

test.each(MOVING)(
  'a value of the kind "$name" works with only the new secret after it has moved',
  async (moving) => {
    const moved = await moving.move(await moving.make());
    expect((await moving.use(done, moved)).status).toBe(200);
  },
);

test('the first request with an older key does not wait until its key can be moved', async () => {
  const { make, use } = KINDS['API key'];
  const token = await make();
  await inTransaction(pool, async (client) => {
    await client.query('select 1 from api_keys order by created_at desc, id limit 1 for update');
    expect((await use(rotated, token)).status).toBe(200);
    expectFailure(await use(done, token), 'invalid_key');
  });
  await expect.poll(async () => (await use(done, token)).status).toBe(200);
});

describe('a second factor that release 0.1.0 has sealed', () => {
  /** Release 0.1.0 wrote version 1 with any secret. */
  const asRelease = () =>
    pool.query(
      `update second_factors set secret = regexp_replace(secret, '^\\$ba\\$\\d+', '$ba$1'),
        backup_codes = regexp_replace(backup_codes, '^\\$ba\\$\\d+', '$ba$1')`,
    );

  test('opens under every secret that is listed, also before a job has sealed it again', async () => {
    for (const node of [old, prepared, rotated]) {
      const person = await withSecondFactor();
      await asRelease();
      expect((await secondStep(node, person)).status).toBe(200);
      await asRelease();
      expect((await secondStep(node, person, person.backupCodes[0])).status).toBe(200);
    }
  });

  test('is sealed with the new secret by the job, and works without the old one', async () => {
    const person = await withSecondFactor();
    await asRelease();
    expect(await resealSecondFactors(pool, SECRETS)).toBe(1);
    expect(await resealSecondFactors(pool, SECRETS)).toBe(0);
    expect((await secondStep(done, person)).status).toBe(200);
    expect((await secondStep(done, person, person.backupCodes[0])).status).toBe(200);
  });

  test('that no secret opens stays as it is, and the refusal says so', async () => {
    const person = await withSecondFactor();
    await asRelease();
    const read = async () => (await pool.query('select secret, backup_codes from second_factors')).rows;
    const before = await read();
    expect(await resealSecondFactors(pool, [NEW])).toBe(0);
    const refused = await secondStep(done, person);
    expectFailure(refused, 'conflict');
    expect(refused.text).toContain('svcd user reset-second-factor');
    expect(await read()).toEqual(before);
  });
});

describe('one-time links', () => {
  test('depend on no secret: they work after a rotation', async () => {
    const owner = await dashboard.owner();
    const signInLink = await createSignInLink({ pool, publicUrl: PUBLIC_URL, userId: owner.userId });
    expect((await send(done, '/sign-in-link', { token: tokenOf(signInLink) })).status).toBe(200);
    await pool.query(
      `insert into invitations (workspace_id, id, email, role, status, inviter_id, expires_at, created_at)
       values ($1, 'inv_rotation', $2, 'viewer', 'pending', $3, now() + interval '1 day', now())`,
      [owner.workspaceId, newEmail(), owner.userId],
    );
    const link = await inTransaction(pool, (client) =>
      createInvitationLink(client, PUBLIC_URL, 'inv_rotation'),
    );
    expect((await send(done, '/invitations/read', { token: tokenOf(link) })).status).toBe(200);
  });
});

describe('the list of kinds is complete', () => {
  test('no other column contains values that better-auth has encrypted, and no other cookie is set', async () => {
    await withSecondFactor();
    const { rows: columns } = await pool.query<{ table: string; column: string }>(
      `select table_name as table, column_name as column from information_schema.columns
       where table_schema = 'public' and data_type = 'text'
         and table_name in (select table_name from information_schema.tables where table_type = 'BASE TABLE')`,
    );
    const sealed: string[] = [];
    for (const { table, column } of columns) {
      const { rowCount } = await pool.query(
        `select 1 from "${table}" where "${column}" like '$ba$%' limit 1`,
      );
      if (rowCount !== 0) sealed.push(`${table}.${column}`);
    }
    expect(sealed.toSorted()).toEqual(['second_factors.backup_codes', 'second_factors.secret']);
    expect([...seenCookies].toSorted().join(' ')).toBe(
      'svc.device svc.dont_remember svc.openid svc.session_token svc.two_factor',
    );
  });
});
