import { createTestDatabase } from '@svc/service/harness/database.ts';
import { runSvcd } from '@svc/service/harness/process.ts';
import { expect, test } from 'vitest';
import type { Finding } from '../../src/doctor/check.ts';

const { url, pool } = await createTestDatabase();

async function findings(check = 'postgresql', databaseUrl = url): Promise<readonly Finding[]> {
  const env = { SVC_DATABASE_URL: databaseUrl, SVC_SECRET: 'x'.repeat(32) };
  const { stdout } = await runSvcd(['doctor', '--json'], { env });
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly Finding[] };
  return checks.filter((finding) => finding.check === check);
}

test('svcd doctor fails if migrations are pending and the role may not create their tables', async () => {
  const empty = await createTestDatabase({ template: false });
  expect(await findings('schema', empty.url)).toMatchObject([{ status: 'warn' }]);
  await empty.pool.query('revoke create on schema public from pg_database_owner');
  expect(await findings('schema', empty.url)).toEqual([
    {
      check: 'schema',
      status: 'fail',
      text: expect.stringMatching(
        / migrations to apply, but the role svc may not create tables in the schema public$/,
      ),
      remedy: expect.stringContaining('grant create on schema public to svc'),
    },
  ]);
});

test('svcd doctor reads the settings of the server, not those of its own session', async () => {
  expect(await findings()).toEqual([
    { check: 'postgresql', status: 'ok', text: expect.stringContaining('its settings suit the service') },
  ]);
  const name = new URL(url.replace('@/', '@socket/')).pathname.slice(1);
  await pool.query(`alter database ${name} set random_page_cost = 4`);
  expect(await findings()).toEqual([
    {
      check: 'postgresql',
      status: 'warn',
      text: expect.stringContaining('random_page_cost = 4'),
      remedy: expect.stringContaining('alter system set random_page_cost = 1.1'),
    },
  ]);
  await pool.query(`alter database ${name} reset random_page_cost`);
  await pool.query(`alter database ${name} set synchronous_commit = off`);
  const [overridden] = await findings();
  expect(overridden).toMatchObject({ status: 'ok', text: expect.stringContaining('synchronous_commit') });
});
