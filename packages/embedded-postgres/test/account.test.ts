import { execFile } from 'node:child_process';
import {
  appendFile,
  chown,
  cp,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';

import { runProgram } from '../src/account/run.ts';
import { ensureCopy } from '../src/cluster/copies.ts';
import { createCluster } from '../src/cluster/create.ts';
import { type Binaries, packagedBinaries, reachablePrograms } from '../src/cluster/programs.ts';
import { killFixtures, spawnFixture } from './fixture-process.ts';
import { dataDirectory } from './support/data-directory.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { account, OWNER_ONLY, requireRoot, requireUser, uidOf } from './users.ts';

const log = pino({ level: 'silent' });
/** A data directory that a service of another user has created and no longer uses. */
async function dataOfAnotherUser(skip: (note: string) => never) {
  const { uid, gid } = (await requireUser(skip)) ?? skip('only root can start processes as another user');
  const dataDir = await dataDirectory();
  await mkdir(dataDir);
  await chown(dataDir, uid, gid);
  const user = spawnFixture('service', dataDir, { uid, gid });
  expect(await user.outcome).toMatchObject({ ready: true });
  await user.stop();
  return { dataDir, uid, gid };
}

/** The packaged programs in a directory that only root may enter, and a place for copies of them. */
async function privatePrograms(): Promise<{ programs: Binaries; copies: string; barrier: string }> {
  const barrier = await privateDirectory();
  const packaged = join(dirname((await packagedBinaries()).initdb), '..', '..');
  await cp(packaged, join(barrier, 'package'), { recursive: true, verbatimSymlinks: true });
  const bin = join(barrier, 'package', 'native', 'bin');
  return {
    programs: { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') },
    copies: join(await temporaryDirectory(), 'copies'),
    barrier,
  };
}

/** A directory that only root may enter, such as /root. */
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

  test('a data directory in a private directory works, after a kill and after a stop', async ({ skip }) => {
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

  test('PostgreSQL has no capability, no group of root, and runs as a user that no other program has', async ({
    skip,
  }) => {
    const { uid, gid } = requireRoot(skip);
    const service = spawnFixture('service', await dataDirectory(await privateDirectory()));
    const { pid } = await service.outcome;
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) {
      expect(status).toMatch(new RegExp(`^${set}:\t0+$`, 'm'));
    }
    expect(status).toMatch(new RegExp(`^Uid:\t${uid}\t${uid}\t${uid}\t${uid}$`, 'm'));
    expect(status).toMatch(new RegExp(`^Gid:\t${gid}\t${gid}\t${gid}\t${gid}$`, 'm'));
    expect(status).toMatch(/^Groups:\t\s*$/m);
    expect(['postgres', 'nobody']).not.toContain(account?.name);
    await service.stop();
  });

  test('programs in a private directory are copied once to a place where the user of PostgreSQL can run them', async ({
    skip,
  }) => {
    const user = requireRoot(skip);
    const { programs, copies } = await privatePrograms();
    const copy = await reachablePrograms(programs, user, log, copies);
    expect(copy.postgres).toMatch(new RegExp(`^${copies}/linux-.*/bin/postgres$`));
    const { ino } = await stat(copy.postgres);
    const directory = join(await temporaryDirectory(), 'cluster');
    await createCluster({ binaries: copy, account: user, directory, password: 'x', durable: false });
    expect(await stat(join(directory, 'PG_VERSION'))).toMatchObject({ uid: user.uid, gid: user.gid });
    await mkdir(join(copies, 'linux-older'));
    expect(await reachablePrograms(programs, user, log, copies)).toEqual(copy);
    expect((await stat(copy.postgres)).ino).toBe(ino);
    // A copy that is too short after a power cut is replaced. Then older copies are removed.
    await truncate(join(dirname(copy.postgres), 'initdb'), 1);
    expect(await reachablePrograms(programs, user, log, copies)).toEqual(copy);
    expect((await stat(copy.initdb)).size).toBe((await stat(programs.initdb)).size);
    expect(await readdir(copies)).toEqual([basename(dirname(dirname(copy.postgres)))]);
  });

  test('programs whose links are missing are copied with their links', async ({ skip }) => {
    requireRoot(skip);
    const { programs, copies } = await privatePrograms();
    const native = dirname(dirname(programs.postgres));
    const entries = await readdir(join(native, 'lib'), { withFileTypes: true });
    const links = entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
    expect(links).toContain('libpq.so.5');
    for (const link of links) await rm(join(native, 'lib', link));
    const copy = await ensureCopy(native, copies, log);
    expect(await readdir(join(copy, 'lib'))).toEqual(expect.arrayContaining(links));
    const { ino } = await stat(join(copy, 'bin/postgres'));
    expect(await ensureCopy(native, copies, log)).toBe(copy);
    expect((await stat(join(copy, 'bin/postgres'))).ino).toBe(ino);
    expect(await runProgram(join(copy, 'bin/postgres'), ['--version'], { account: undefined })).toMatchObject(
      {
        code: 0,
      },
    );
  });

  test('if no copy can be created, the message names the directory and the remedy', async ({ skip }) => {
    const user = requireRoot(skip);
    const { programs, copies, barrier } = await privatePrograms();
    await writeFile(copies, 'a file is in its place');
    await expect(reachablePrograms(programs, user, log, copies)).rejects.toThrow(
      `PostgreSQL runs as the user ${user.name}, which cannot enter the directory ${barrier}. Allow it (chmod o+x ${barrier})`,
    );
  });

  test('programs that the user of PostgreSQL can reach are not copied', async ({ skip }) => {
    const programs = { initdb: '/usr/bin/env', postgres: '/usr/bin/env' };
    expect(await reachablePrograms(programs, requireRoot(skip), log, '/nowhere')).toBe(programs);
  });

  test('data of version 0.1.0, which belongs to a user that several programs share, is used, with a warning', async ({
    skip,
  }) => {
    requireRoot(skip);
    const dataDir = await dataDirectory(await privateDirectory());
    const first = spawnFixture('service', dataDir);
    await first.outcome;
    await first.stop();
    // Version 0.1.0 had no such files, and gave the data to this user.
    for (const name of ['postgres.lock', 'postgres.config'])
      await rm(join(dataDir, name), { recursive: true });
    for (const name of ['postgres', 'run']) {
      await promisify(execFile)('chown', ['-R', 'nobody', join(dataDir, name)]);
    }
    const nobody = (await stat(join(dataDir, 'postgres'))).uid;
    const next = spawnFixture('service', dataDir);
    const { ready, pid } = await next.outcome;
    expect(ready).toBe(true);
    expect(await uidOf(pid)).toBe(nobody);
    expect(next.messages.map(({ msg }) => msg)).toContainEqual(
      expect.stringMatching(
        /^the database belongs to the user nobody, .* useradd --system svc; chown -R svc: /,
      ),
    );
    await next.stop();
  });

  test('data that root has given to another user is used by that user, with the settings of the operator', async ({
    skip,
  }) => {
    const { uid: before } = requireRoot(skip);
    const dataDir = await dataDirectory(await privateDirectory());
    const first = spawnFixture('service', dataDir);
    await first.outcome;
    await first.stop();
    const settings = join(dataDir, 'postgres.config', 'postgresql.conf');
    const { gid } = await stat(settings);
    await appendFile(settings, "cluster_name = 'of the operator'\n");
    await promisify(execFile)('chown', ['-R', 'nobody:', join(dataDir, 'postgres')]);
    const nobody = await stat(join(dataDir, 'postgres'));
    expect([nobody.uid, nobody.gid]).not.toEqual([before, gid]);
    const next = spawnFixture('service', dataDir);
    expect(await next.outcome).toMatchObject({ ready: true });
    expect(await uidOf((await next.outcome).pid)).toBe(nobody.uid);
    expect(await stat(settings)).toMatchObject({ uid: 0, gid: nobody.gid, mode: 0o100_640 });
    expect(await readFile(settings, 'utf8')).toContain('of the operator');
    await next.stop();
  });

  test('data that a service of another user has created keeps its owner', async ({ skip }) => {
    requireRoot(skip);
    const { dataDir, uid, gid } = await dataOfAnotherUser(skip);
    const root = spawnFixture('service', dataDir);
    expect(await root.outcome).toMatchObject({ ready: true });
    await root.stop();
    const again = spawnFixture('service', dataDir, { uid, gid });
    expect(await again.outcome).toMatchObject({ ready: true });
    await again.stop();
  });

  test.for(['postgres.config/pg_hba.conf.new', 'postgres.log', 'run'])(
    'on data of another user, a link at %s gives that user no file of root',
    async (place, { skip }) => {
      requireRoot(skip);
      const { dataDir } = await dataOfAnotherUser(skip);
      const target = join(await temporaryDirectory(), 'of-root');
      if (place === 'run') await mkdir(target);
      else await writeFile(target, 'of root');
      const before = await stat(target);
      await rm(join(dataDir, place), { recursive: true, force: true });
      await symlink(target, join(dataDir, place));
      const root = spawnFixture('service', dataDir);
      // A file that the start creates replaces the link. A link at a file that may have content is refused.
      expect(await root.outcome).toMatchObject(
        place.endsWith('.new') ? { ready: true } : { message: expect.stringContaining('in its place') },
      );
      await root.stop();
      const { uid: owner, mode, size } = await stat(target);
      expect({ owner, mode, size }).toEqual({ owner: 0, mode: before.mode, size: before.size });
    },
  );
});
