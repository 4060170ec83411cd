import { getMigrations } from 'better-auth/db/migration';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { newEmail, PASSWORD, PUBLIC_URL } from '../../../test/harness/dashboard.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { TEST_SECRET } from '../../../test/harness/service.ts';
import { bootstrap } from '../people/operator.ts';
import { createAuthDatabase } from './database.ts';
import { authOptions, createDashboardAuth } from './index.ts';

describe('the tables of sign-in', async () => {
  const { pool } = await createTestDatabase();
  const warnings: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void warnings.push(line) });
  const options = authOptions(
    { pool, secrets: [TEST_SECRET], publicUrl: PUBLIC_URL, log },
    createAuthDatabase(pool),
  );

  test('have every table and column that better-auth needs, with the right types', async () => {
    const { toBeAdded, toBeCreated } = await getMigrations(options);
    expect(toBeAdded).toEqual([]);
    // It looks only for tables. The organizations are a view of the workspaces.
    expect(toBeCreated.map(({ table }) => table)).toEqual(['organizations']);
    expect(warnings).toEqual([]);
    const { rows } = await pool.query<{ column_name: string }>(
      `select column_name from information_schema.columns where table_name = 'organizations'`,
    );
    const wanted = ['id', ...Object.keys(toBeCreated[0]?.fields ?? {})];
    expect(rows.map(({ column_name }) => column_name).toSorted()).toEqual(wanted.toSorted());
  });

  test('create an organization only with a workspace', async () => {
    const auth = createDashboardAuth({ pool, secrets: [TEST_SECRET], publicUrl: PUBLIC_URL, log });
    const { userId } = await bootstrap({
      pool,
      auth,
      email: newEmail(),
      password: PASSWORD,
      workspaceName: 'Test',
    });
    const body = { name: 'Another', slug: 'another', userId };
    await expect(auth.api.createOrganization({ body })).rejects.toThrow();
    const { rows } = await pool.query('select name, slug = id as same from organizations');
    expect(rows).toEqual([{ name: 'Test', same: true }]);
  });

  test('refuse an unknown role and an email address that sign-in would not find', async () => {
    await expect(
      pool.query(
        `insert into members (workspace_id, user_id, id, role, created_at) values ('w', 'u', 'm', 'member', now())`,
      ),
    ).rejects.toThrow(/members_role_check/);
    await expect(
      pool.query(
        `insert into users (id, name, email, created_at, updated_at) values ('u', 'A', 'Ada@example.com', now(), now())`,
      ),
    ).rejects.toThrow(/users_email_check/);
  });
});
