import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { findEmbedded } from '../src/index.ts';
import { killFixtures, spawnFixture } from './fixture-process.ts';
import { dataDirectory } from './support/data-directory.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { OWNER_ONLY, requireRoot, requireUser, STRANGER, uidOf } from './users.ts';

afterEach(killFixtures);

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

  test('data that the group may write, as on a volume of Kubernetes with an fsGroup, is closed to it before the start', async ({
    skip,
  }) => {
    const user = await requireUser(skip);
    const dataDir = await dataDirectory();
    await mkdir(dataDir);
    if (user !== undefined) await chown(dataDir, user.uid, user.gid);
    const first = spawnFixture('service', dataDir, user && { uid: user.uid, gid: user.gid });
    await first.outcome;
    await first.stop();
    const pgdata = join(dataDir, 'postgres');
    await chmod(pgdata, 0o2770);
    const next = spawnFixture('service', dataDir, user && { uid: user.uid, gid: user.gid });
    expect(await next.outcome).toMatchObject({ ready: true });
    expect((await stat(pgdata)).mode & 0o777).toBe(OWNER_ONLY);
    await next.stop();
  });

  test('the message for a directory that this user may not write to names it and the remedy', async ({
    skip,
  }) => {
    const user = await requireUser(skip);
    const parent = await temporaryDirectory();
    await chmod(parent, 0o555);
    const dataDir = join(parent, 'data');
    const service = spawnFixture('service', dataDir, user && { uid: user.uid, gid: user.gid });
    expect((await service.outcome).message).toMatch(
      new RegExp(
        `^the data directory ${dataDir} cannot be created: permission denied for the user \\d+\\. Give it`,
      ),
    );
  });

  test('data of another user is refused by name, with a command that lets this user use it', async ({
    skip,
  }) => {
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
        `or give the data to the current user: chown -R ${STRANGER} ${dataDir}`,
    );
    await promisify(execFile)('chown', ['-R', String(STRANGER), dataDir]);
    const next = spawnFixture('service', dataDir, { uid: STRANGER, gid: STRANGER });
    expect(await next.outcome).toMatchObject({ ready: true });
    await next.stop();
  });
});

describe('a path that is too long for a socket', () => {
  test('gets its socket in a short private directory, and never uses a directory of another user', async () => {
    const parent = join(await temporaryDirectory(), 'deep'.repeat(12), 'deeper'.repeat(8));
    await mkdir(parent, { recursive: true });
    const dataDir = await dataDirectory(parent);
    const service = spawnFixture('service', dataDir);
    const { url } = await service.outcome;
    const [, directory = ''] = /host=(.*\/svc-[0-9a-f]{16})&/.exec(url ?? '') ?? [];
    const found = await stat(directory);
    expect(found.mode & 0o777).toBe(OWNER_ONLY);
    await service.stop();
    // Any user may make directories in /tmp, so a directory of another user is not used.
    await chmod(directory, 0o777);
    expect((await spawnFixture('service', dataDir).outcome).message).toContain(
      `${directory}, the directory for the database's socket, is not a private directory of the user`,
    );
    await rm(directory, { recursive: true });
  });
});
