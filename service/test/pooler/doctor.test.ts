import { expect, test } from 'vitest';
import { createTestDatabase } from '../harness/database.ts';
import { runSvcd } from '../harness/process.ts';
import { setUpRole } from './role.ts';

const { url, pool } = await createTestDatabase();
/** Two poolers, of which one is away. A server without a pooler does what the service needs of one. */
const poolers = url.replace(/host=([^&]*)/, 'host=$1,/nowhere');

interface Finding {
  readonly check: string;
}

async function doctor(): Promise<readonly Finding[]> {
  const { stdout } = await runSvcd(['doctor', '--json'], {
    env: {
      SVC_DATABASE_URL: poolers,
      SVC_DATABASE_POOLER: 'transaction',
      SVC_DATABASE_DIRECT_URL: url,
      SVC_SECRET: 'x'.repeat(32),
      SVC_WORKERS: '64',
    },
  });
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly Finding[] };
  return checks.filter(({ check }) => ['database', 'pooler', 'hosts'].includes(check));
}

test('svcd doctor checks one of several poolers, does not take them for servers, and counts only direct connections', async () => {
  await setUpRole(pool, poolers);
  expect(await doctor()).toEqual([
    { check: 'database', status: 'ok', text: expect.stringMatching(/^PostgreSQL [^;]* connections$/) },
    { check: 'pooler', status: 'ok', text: expect.stringContaining('the role has all settings') },
  ]);
});
