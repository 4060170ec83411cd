import { createTestDatabase } from '@svc/service/harness/database.ts';
import { runSvcd } from '@svc/service/harness/process.ts';
import { expect, test } from 'vitest';
import type { Finding } from '../../src/doctor/check.ts';

const { url, pool } = await createTestDatabase();

async function findings(): Promise<readonly Finding[]> {
  const env = { SVC_DATABASE_URL: url, SVC_SECRET: 'x'.repeat(32) };
  const { stdout } = await runSvcd(['doctor', '--json'], { env });
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly Finding[] };
  return checks.filter(({ check }) => check === 'postgresql');
}

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
