import { randomBytes } from 'node:crypto';
import { makeStandby, startReplicable } from '@svc/service/harness/postgres/roles.ts';
import { runSvcd } from '@svc/service/harness/process.ts';
import { expect, test } from 'vitest';
import type { Finding } from '../../src/doctor/check.ts';

const PASSWORD = 'unlucky-password';
const [a, b] = [await startReplicable('a', PASSWORD), await startReplicable('b', PASSWORD)];
const folderOf = ({ socketPath }: typeof a): string => socketPath.replace(/\/[^/]*$/, '');

/** What svcd doctor says of the hosts and of replication. */
async function doctor(...folders: readonly string[]): Promise<readonly Partial<Finding>[]> {
  const { stdout } = await runSvcd(['doctor', '--json'], {
    env: {
      SVC_DATABASE_URL: `postgres://svc:${PASSWORD}@/svc?host=${folders.join(',')}`,
      SVC_SECRET: randomBytes(32).toString('base64url'),
      SVC_PORT: '1',
    },
  });
  expect(stdout).not.toContain(PASSWORD);
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly Finding[] };
  return checks
    .filter(({ check }) => check === 'hosts' || check === 'replication')
    .map(({ status, text }) => ({ status, text }));
}

test('with several hosts, svcd doctor says the role of each, and whether commits wait for a standby', async () => {
  const [folderA, folderB] = [folderOf(a), folderOf(b)];
  expect(await doctor(folderA)).toEqual([]);
  const both = `${folderA} is the primary; ${folderB} is the primary`;
  expect(await doctor(folderA, folderB)).toEqual([{ status: 'fail', text: both }]);
  await makeStandby(b);
  const unconfirmed = expect.stringContaining('commits do not wait for a standby');
  expect(await doctor(folderB, folderA)).toEqual([
    { status: 'ok', text: `${folderB} is a standby; ${folderA} is the primary` },
    { status: 'warn', text: unconfirmed },
  ]);
  const [away] = await doctor('/nowhere', folderA);
  expect(away).toMatchObject({
    status: 'warn',
    text: expect.stringMatching(/ENOENT \/nowhere\/.*; .* is the primary$/),
  });
  await makeStandby(a);
  expect(await doctor(folderA, folderB)).toEqual([
    { status: 'fail', text: `${folderA} is a standby; ${folderB} is a standby` },
  ]);
});
