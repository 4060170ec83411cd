import { execFile } from 'node:child_process';
import { readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { type Account, serverAccount } from '../src/account/account.ts';
import { killFixtures, spawnFixture } from './fixture-process.ts';
import { dataDirectory } from './support/data-directory.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { waitFor } from './support/wait-for.ts';

const account = serverAccount();

function requireRoot(skip: (note: string) => never): Account {
  return account ?? skip('only root can start processes as another user');
}

/** Runs a shell command as a user. */
async function runAs({ uid, gid }: Account, line: string): Promise<void> {
  await promisify(execFile)('sh', ['-c', line], { uid, gid, cwd: '/' });
}

/** The error of a connection as PostgreSQL's superuser without a password. */
async function superuser(url: string): Promise<string> {
  const { host } = new pg.Client({ connectionString: url });
  const client = new pg.Client({ host, user: 'postgres', database: 'postgres' });
  try {
    await client.connect();
    return 'connected';
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.end();
  }
}

afterEach(killFixtures);

describe('another process of the user that PostgreSQL runs as', () => {
  test('cannot get access as the superuser by rewriting files of the data, neither at once nor at the next start', async ({
    skip,
  }) => {
    const user = requireRoot(skip);
    const dataDir = await dataDirectory(await temporaryDirectory());
    const pgdata = join(dataDir, 'postgres');
    const service = spawnFixture('service', dataDir);
    const { url = '', pid } = await service.outcome;
    await runAs(
      user,
      `cd ${pgdata} && echo 'local all all trust' > pg_hba.conf && echo 'all all all' > pg_ident.conf &&
       echo "hba_file = '${pgdata}/pg_hba.conf'" | tee -a postgresql.conf >> postgresql.auto.conf && kill -HUP ${pid}`,
    );
    const log = join(dataDir, 'postgres.log');
    await waitFor(async () => expect(await readFile(log, 'utf8')).toContain('received SIGHUP'));
    expect(await superuser(url)).not.toBe('connected');
    await service.stop();
    const again = spawnFixture('service', dataDir);
    expect(await again.outcome).toMatchObject({ ready: true });
    expect(await superuser(url)).not.toBe('connected');
    await again.stop();
  });

  test('cannot change the configuration, and can read it only as a member of the group', async ({ skip }) => {
    const user = requireRoot(skip);
    const dataDir = await dataDirectory(await temporaryDirectory());
    const configuration = join(dataDir, 'postgres.config');
    const service = spawnFixture('service', dataDir);
    await service.outcome;
    expect(await stat(configuration)).toMatchObject({ uid: 0, gid: user.gid, mode: 0o40_750 });
    for (const name of ['postgresql.conf', 'pg_hba.conf', 'pg_ident.conf']) {
      const path = join(configuration, name);
      expect(await stat(path)).toMatchObject({ uid: 0, gid: user.gid, mode: 0o100_640 });
      await expect(runAs(user, `echo >> ${path}`)).rejects.toThrow('Permission denied');
      await expect(runAs(user, `rm -f ${path}`)).rejects.toThrow('Permission denied');
      await expect(runAs({ ...user, uid: 54_321, gid: 54_321 }, `cat ${path}`)).rejects.toThrow(
        'Permission denied',
      );
    }
    await service.stop();
  });

  test('cannot read a file of root by replacing the settings with a link to it', async ({ skip }) => {
    requireRoot(skip);
    const dataDir = await dataDirectory(await temporaryDirectory());
    const first = spawnFixture('service', dataDir);
    await first.outcome;
    await first.stop();
    const secret = join(await temporaryDirectory(), 'secret');
    await writeFile(secret, '# of root\n', { mode: 0o600 });
    const settings = join(dataDir, 'postgres', 'postgresql.conf');
    await rm(settings);
    await symlink(secret, settings);
    await rm(join(dataDir, 'postgres.config'), { recursive: true });
    const next = spawnFixture('service', dataDir);
    expect(await next.outcome).toMatchObject({ ready: true });
    expect(await readFile(join(dataDir, 'postgres.config', 'postgresql.conf'), 'utf8')).toBe('');
    await next.stop();
  });
});

test('settings that the operator has changed in the data are copied once; later, the copy next to the data applies', async () => {
  const dataDir = await dataDirectory(await temporaryDirectory());
  const first = spawnFixture('service', dataDir);
  await first.outcome;
  await first.stop();
  const [before, now] = ['postgres', 'postgres.config'].map((name) => join(dataDir, name, 'postgresql.conf'));
  await rm(join(dataDir, 'postgres.config'), { recursive: true });
  await writeFile(before ?? '', 'deadlock_timeout = 1234ms\n');
  const next = spawnFixture('service', dataDir);
  const { url } = await next.outcome;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`select current_setting('deadlock_timeout') as value`);
  await client.end();
  expect(rows).toEqual([{ value: '1234ms' }]);
  expect(await readFile(now ?? '', 'utf8')).toBe('deadlock_timeout = 1234ms\n');
  await next.stop();
});
