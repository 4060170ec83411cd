import { chown, link, mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ensureDataDirectory } from '../src/directory/data-directory.ts';
import { tryLock } from '../src/directory/lock.ts';
import { spawnFixture } from './fixture-process.ts';
import { dataDirectory } from './support/data-directory.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

// Root uses the data directory of another user.

/** A user id without a name. */
const STRANGER = 54_321;

let parent: string;
let dataDir: string;
beforeEach(async ({ skip }) => {
  if (process.getuid?.() !== 0) skip('only root can give a directory away');
  parent = await temporaryDirectory();
  dataDir = await dataDirectory(parent);
  await mkdir(dataDir);
  await chown(dataDir, STRANGER, STRANGER);
});

test.each(['postgres.log', 'postgres.lock'])(
  'a hard link of a file of root is not used as %s',
  async (name) => {
    const [target, place] = [join(parent, 'of-root'), join(dataDir, name)];
    await writeFile(target, 'of root', { mode: 0o600 });
    await link(target, place);
    const service = spawnFixture('service', dataDir);
    expect((await service.outcome).message).toContain(
      `${place} is a hard link, and root uses no hard links. Remove it.`,
    );
    await service.stop();
    expect(await readFile(target, 'utf8')).toBe('of root');
    expect(await stat(target)).toMatchObject({ uid: 0, mode: 0o100_600 });
  },
);

test.each([
  ['a hard link of a file of root', false],
  ['a file of root', true],
])('%s as postgresql.conf is not given to the group of PostgreSQL', async (_, single) => {
  const [target, directory] = [join(parent, 'of-root'), join(dataDir, 'postgres.config')];
  const place = join(directory, 'postgresql.conf');
  await mkdir(directory);
  await chown(directory, STRANGER, STRANGER);
  await writeFile(target, '', { mode: 0o600 });
  await link(target, place);
  if (single) await rm(target);
  const service = spawnFixture('service', dataDir);
  expect((await service.outcome).message).toContain('Permission denied');
  await service.stop();
  expect(await stat(place)).toMatchObject({ uid: 0, gid: 0, mode: 0o100_600 });
});

test('a refused lock file leaves no descriptor open', async ({ skip }) => {
  if (process.platform !== 'linux') skip('only Linux shows the open files');
  const layout = await ensureDataDirectory(dataDir);
  await writeFile(join(parent, 'of-root'), '');
  await link(join(parent, 'of-root'), layout.lockFile);
  const openLocks = async (): Promise<number> => {
    const targets = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    return targets.filter((target) => target === layout.lockFile).length;
  };
  await expect(tryLock(layout, 'svcd start')).rejects.toThrow('hard link');
  expect(await openLocks()).toBe(0);
  await rm(layout.lockFile);
  const lock = await tryLock(layout, 'svcd start');
  expect(await openLocks()).toBe(1);
  await lock?.release();
});

test('a new lock file is given to the owner of the directory; a file of root with content is not', async () => {
  const layout = await ensureDataDirectory(dataDir);
  await writeFile(layout.lockFile, 'what root wrote');
  const lock = async (): Promise<void> => (await tryLock(layout, 'svcd start'))?.release();
  await lock();
  expect(await stat(layout.lockFile)).toMatchObject({ uid: 0 });
  await rm(layout.lockFile);
  await lock();
  expect(await stat(layout.lockFile)).toMatchObject({ uid: STRANGER });
});
