import { APIError } from 'better-auth/api';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { OPERATOR } from '../../audit-log/actor.ts';
import { createAuthDatabase } from './database.ts';

const { pool } = await createTestDatabase();
const { kysely, transact } = createAuthDatabase(pool);

test('a transaction of better-auth fails with the error of its first refused statement, not with one that follows from it', async () => {
  const refused = transact(OPERATOR, async () => {
    await sql`do $$ begin raise exception using errcode = 'deadlock_detected'; end $$`
      .execute(kysely)
      .catch(() => undefined);
    await sql`select 1`.execute(kysely).catch(() => undefined);
    throw new APIError('INTERNAL_SERVER_ERROR');
  });
  await expect(refused).rejects.toMatchObject({ code: '40P01' });
});
