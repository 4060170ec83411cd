import { chmod, chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { packagedBinaries } from '../src/cluster/programs.ts';
import { findPostmaster } from '../src/server/postmaster.ts';
import { killFixtures, mayRunFixture, spawnFixture } from './fixture-process.ts';
import { dataDirectory, killServer } from './support/data-directory.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** A data directory with a cluster and no running server. Each test damages it and repairs it. */
const dataDir = await dataDirectory();
const pgdata = join(dataDir, 'postgres');
/** A user id without a name. */
const NAMELESS = { uid: 54_321, gid: 54_321 };

/** The message for the operator when the service does not start. */
async function refusal(directory: string, name = 'EmbeddedError'): Promise<string> {
  const { refused, message } = await spawnFixture('service', directory).outcome;
  expect(refused).toBe(name);
  return message ?? '';
}

/** Calls `run` while a file has another content. */
async function withContent<T>(path: string, content: string, run: () => Promise<T>): Promise<T> {
  const before = await readFile(path);
  await writeFile(path, content);
  try {
    return await run();
  } finally {
    await writeFile(path, before);
  }
}

/** Calls `run` while a file or directory is moved away. */
async function without<T>(path: string, run: () => Promise<T>): Promise<T> {
  await rename(path, `${path}.away`);
  try {
    return await run();
  } finally {
    await rm(path, { recursive: true, force: true });
    await rename(`${path}.away`, path);
  }
}

beforeAll(async () => {
  const maker = spawnFixture('service', dataDir);
  await maker.outcome;
  await maker.stop();
});

afterEach(async () => {
  await killFixtures();
  await killServer(dataDir);
});

afterAll(async () => {
  const service = spawnFixture('service', dataDir);
  expect(await service.outcome, 'everything is mended').toMatchObject({ ready: true });
  await service.stop();
});

describe('a service does not start, and says why and what to do,', () => {
  test('on data of another major version, with both versions in the message', async () => {
    const refusalOf = (major: string) =>
      withContent(join(pgdata, 'PG_VERSION'), `${major}\n`, () => refusal(dataDir, 'OtherMajorVersionError'));
    expect(await refusalOf('17')).toBe(
      `${pgdata} was created by PostgreSQL 17, but this program has PostgreSQL 18: to move the data to this version, ` +
        'stop the service and run svcd upgrade-database.',
    );
    expect(await refusalOf('19')).toMatch(/: use the release of this program that has PostgreSQL 19\.$/);
  });

  test('on files that are not a database', async () => {
    const message = await without(join(pgdata, 'PG_VERSION'), () => refusal(dataDir));
    expect(message).toContain(`${pgdata} holds files but no PostgreSQL database`);
  });

  test('when the password of the database is missing', async () => {
    const password = join(dataDir, 'postgres.password');
    const message = await without(password, () => refusal(dataDir));
    expect(message).toMatch(/postgres\.password is missing: .* Restore it from the backup/);
  });

  test('when the password is not that of the database', async () => {
    const password = join(dataDir, 'postgres.password');
    const message = await withContent(password, 'another\n', () => refusal(dataDir));
    expect(message).toMatch(
      /the password in .*postgres\.password is not the password of the database .* Restore/,
    );
    expect(await findPostmaster(pgdata), 'no server is left').toEqual({ kind: 'none' });
  });

  test('when PostgreSQL fails to start, with the end of its log and the path of the log', async () => {
    const settings = join(dataDir, 'postgres.config', 'postgresql.conf');
    const message = await withContent(settings, 'no_such_setting = 1\n', () => refusal(dataDir));
    expect(message).toContain('did not start (exit code 1)');
    expect(message).toContain('unrecognized configuration parameter "no_such_setting"');
    expect(message).toContain(join(dataDir, 'postgres.log'));
  });

  test('when other users can read the data', async () => {
    await chmod(pgdata, 0o755);
    const message = await refusal(dataDir);
    await chmod(pgdata, 0o700);
    expect(message).toMatch(/has invalid permissions/);
    expect(message).toContain('chmod');
  });

  test('when a file is in the place of a directory', async () => {
    const parent = await temporaryDirectory();
    const file = join(parent, 'file');
    await writeFile(file, '');
    for (const path of [file, join(file, 'data')]) {
      expect(await refusal(path)).toBe(
        `the data directory ${path} cannot be created: a file is in its place. ` +
          'Move the file away, or set SVC_DATA_DIR to another place.',
      );
    }
    await mkdir(join(parent, 'data'));
    await writeFile(join(parent, 'data', 'postgres'), '');
    expect(await refusal(join(parent, 'data'))).toContain('a file is in its place');
  });

  test('as a user without a name, who cannot create a database', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can start processes as another user');
    if (!(await mayRunFixture(NAMELESS))) skip('this program lies below a private directory');
    const empty = await dataDirectory();
    await mkdir(empty);
    await chown(empty, NAMELESS.uid, NAMELESS.gid);
    expect((await spawnFixture('service', empty, NAMELESS).outcome).message).toBe(
      'PostgreSQL can create a new database only as a user with a name, and the user id 54321 has no name. ' +
        'Add the user to /etc/passwd, start this program as root or as a user with a name, or set SVC_DATABASE_URL.',
    );
    expect(await readdir(empty)).not.toContainEqual(expect.stringMatching(/^postgres(\.new.*)?$/));
  });

  test('on a platform without packaged PostgreSQL', async () => {
    await expect(packagedBinaries('plan9-mips')).rejects.toThrow(
      /no packaged PostgreSQL for plan9-mips .* Set SVC_DATABASE_URL/,
    );
  });
});
