import { execFile } from 'node:child_process';
import { chmod, chown, cp, mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/harness/temporary-directory.ts';
import { type Account, serverAccount } from './account.ts';
import { packagedBinaries } from './binaries.ts';
import { createCluster } from './cluster.ts';
import { ensureDirectory } from './files.ts';
import { dataDirectory, killFixtures, mayRunFixture, spawnFixture } from './fixture-process.ts';
import { findEmbedded } from './index.ts';
import { launcherFor } from './launcher.ts';

const account = serverAccount();
const OWNER_ONLY = 0o700;
/** A user that no machine has. */
const STRANGER = 54_321;

/** The unprivileged user; only root can be more than one user, so as another the test is skipped. */
function requireRoot(skip: (note: string) => never): Account {
  return account ?? skip('only root can start processes as another user');
}

/** A user whose processes can run this program; undefined for the current one. */
async function requireUser(skip: (note: string) => never): Promise<Account | undefined> {
  if (account !== undefined && !(await mayRunFixture(account))) {
    skip(`the user ${account.name} may not read this program, which lies below a private directory`);
  }
  return account;
}

async function uidOf(pid: number | undefined): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'uid=', '-p', String(pid)]);
  return Number(stdout);
}

/** A directory that only root may pass, as /root is. */
async function privateDirectory(): Promise<string> {
  const path = join(await temporaryDirectory(), 'private');
  await mkdir(path, { mode: OWNER_ONLY });
  return path;
}

afterEach(killFixtures);

describe('as root', () => {
  test('PostgreSQL runs as an unprivileged user, who owns its files', async ({ skip }) => {
    const { uid } = requireRoot(skip);
    const dataDir = await dataDirectory();
    const service = spawnFixture('service', dataDir);
    const { pid } = await service.outcome;
    expect(await uidOf(pid)).toBe(uid);
    expect(await stat(join(dataDir, 'postgres'))).toMatchObject({ uid });
    expect(await stat(join(dataDir, 'postgres.password'))).toMatchObject({ uid: 0, mode: 0o100_600 });
    await service.stop();
  });

  test('a data directory below one that this user may not pass works, killed or stopped', async ({
    skip,
  }) => {
    requireRoot(skip);
    const dataDir = await dataDirectory(await privateDirectory());
    const first = spawnFixture('service', dataDir);
    expect(await first.outcome).toMatchObject({ ready: true, adopted: false });
    await first.kill();
    const second = spawnFixture('service', dataDir);
    expect(await second.outcome).toMatchObject({ ready: true, adopted: true });
    await second.stop();
    const third = spawnFixture('service', dataDir);
    expect(await third.outcome).toMatchObject({ ready: true, adopted: false });
    await third.stop();
  });

  test('where this user cannot be let through, the message names the directory and the remedy', async ({
    skip,
  }) => {
    const { name } = requireRoot(skip);
    const barrier = await privateDirectory();
    // A container that was started without the capability.
    const wrapper = ['setpriv', '--bounding-set=-dac_read_search', '--inh-caps=-dac_read_search'];
    const service = spawnFixture('service', join(barrier, 'data'), { wrapper });
    const { message } = await service.outcome;
    expect(message).toContain(
      `PostgreSQL runs as the user ${name}, who may not pass the directory ${barrier}.`,
    );
    expect(message).toContain(`chmod o+x ${barrier}`);
  });

  test('the program below such a directory works, with one right more and no other', async ({ skip }) => {
    const user = requireRoot(skip);
    const programs = join(await privateDirectory(), 'native');
    const { initdb } = await packagedBinaries();
    await cp(join(dirname(initdb), '..'), programs, { recursive: true, verbatimSymlinks: true });
    const binaries = { initdb: join(programs, 'bin', 'initdb'), postgres: join(programs, 'bin', 'postgres') };
    const launcher = await launcherFor(user, [binaries.initdb, binaries.postgres]);
    const directory = join(await temporaryDirectory(), 'cluster');
    await ensureDirectory(directory, OWNER_ONLY, user);
    await createCluster({ binaries, launcher, directory, password: 'x', durable: false });
    const status = launcher('cat', ['/proc/self/status']);
    const { stdout } = await promisify(execFile)(status.file, status.args);
    expect(stdout).toMatch(/^CapEff:\t0000000000000004$/m);
    expect(stdout).toMatch(new RegExp(`^Uid:\t${user.uid}\t${user.uid}\t${user.uid}\t`, 'm'));
  });

  test('no right is given where it is not needed', async ({ skip }) => {
    const user = requireRoot(skip);
    expect((await launcherFor(user, ['/usr/bin/env']))('postgres', ['-V'])).toMatchObject({
      file: 'postgres',
      args: ['-V'],
      options: { uid: user.uid, gid: user.gid },
    });
  });

  test('data that another user’s service has made keeps its owner', async ({ skip }) => {
    const { uid, gid } = requireRoot(skip);
    await requireUser(skip);
    const dataDir = await dataDirectory();
    await mkdir(dataDir);
    await chown(dataDir, uid, gid);
    const user = spawnFixture('service', dataDir, { uid, gid });
    expect(await user.outcome).toMatchObject({ ready: true });
    await user.stop();
    const root = spawnFixture('service', dataDir);
    expect(await root.outcome).toMatchObject({ ready: true });
    await root.stop();
    const again = spawnFixture('service', dataDir, { uid, gid });
    expect(await again.outcome).toMatchObject({ ready: true });
    await again.stop();
  });
});

describe('as an ordinary user', () => {
  test('PostgreSQL runs as that user', async ({ skip }) => {
    const user = await requireUser(skip);
    const dataDir = await dataDirectory();
    await mkdir(dataDir);
    if (user !== undefined) await chown(dataDir, user.uid, user.gid);
    const service = spawnFixture('service', dataDir, user && { uid: user.uid, gid: user.gid });
    const { pid } = await service.outcome;
    expect(await uidOf(pid)).toBe(user?.uid ?? process.getuid?.());
    await service.stop();
    expect(await findEmbedded(dataDir)).toBeUndefined();
  });

  test('a directory that this user may not write to is named, with the remedy', async ({ skip }) => {
    const user = await requireUser(skip);
    const parent = await temporaryDirectory();
    await chmod(parent, 0o555);
    const dataDir = join(parent, 'data');
    const service = spawnFixture('service', dataDir, user && { uid: user.uid, gid: user.gid });
    expect((await service.outcome).message).toMatch(
      new RegExp(
        `^the data directory ${dataDir} cannot be made: permission denied for the user \\d+\\. Give it`,
      ),
    );
  });

  test('data of another user is refused by name, with the remedy', async ({ skip }) => {
    const { name } = requireRoot(skip);
    await requireUser(skip);
    const dataDir = await dataDirectory();
    const root = spawnFixture('service', dataDir);
    await root.outcome;
    await root.stop();
    const other = spawnFixture('service', dataDir, { uid: STRANGER, gid: STRANGER });
    const { message } = await other.outcome;
    expect(message).toBe(
      `${dataDir}/postgres belongs to the user ${name}. Start this program as that user or as root, ` +
        `or give the data to this one: chown -R ${STRANGER} ${dataDir}`,
    );
  });
});

describe('a path that is too long for a socket', () => {
  test('gets its socket in a short private directory, and nobody else’s', async () => {
    const parent = join(await temporaryDirectory(), 'deep'.repeat(12), 'deeper'.repeat(8));
    await mkdir(parent, { recursive: true });
    const dataDir = await dataDirectory(parent);
    const service = spawnFixture('service', dataDir);
    const { url } = await service.outcome;
    const [, directory = ''] = /host=(.*\/svc-[0-9a-f]{16})$/.exec(url ?? '') ?? [];
    const found = await stat(directory);
    expect(found.mode & 0o777).toBe(OWNER_ONLY);
    await service.stop();
    // Anybody may make directories in /tmp: somebody else's is not used.
    await chmod(directory, 0o777);
    expect((await spawnFixture('service', dataDir).outcome).message).toContain(
      `${directory}, the directory for the database's socket, is not a private directory of the user`,
    );
    await rm(directory, { recursive: true });
  });
});
