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
    },
  });
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly Finding[] };
  return checks.filter(({ check }) => check === 'pooler' || check === 'hosts');
}

test('svcd doctor checks one of several poolers, and does not take them for servers', async () => {
  await setUpRole(pool, poolers);
  expect(await doctor()).toEqual([
    { check: 'pooler', status: 'ok', text: expect.stringContaining('the role has all settings') },
  ]);
});
