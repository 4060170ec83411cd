import { describe, expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import { createTestDashboard, PASSWORD, type Visitor } from '../../../test/harness/dashboard.ts';
import { waitingForLocks } from '../../../test/harness/locks.ts';
import { createTestService } from '../../../test/harness/service.ts';
import { totpCode } from '../../../test/harness/totp.ts';
import { inTransaction } from '../../database/pool.ts';
import { lockPerson } from '../people/accounts.ts';

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
