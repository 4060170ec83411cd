import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import { killFixtures, type Message, spawnFixture } from './fixture-process.ts';
import { onFileEnd } from './support/cleanup.ts';
import { dataDirectory } from './support/data-directory.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const run = promisify(execFile);
const BYTES_PER_MIB = 1024 * 1024;
/** Just enough space for a new cluster. */
const DISK_MIB = 192;

/** Mounts a new file system of this size. Skips the test if this machine does not allow that. */
async function disk(mib: number, { skip }: TestContext): Promise<string> {
  const path = join(await temporaryDirectory(), 'disk');
  await mkdir(path);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mib}m,mode=755`, 'tmpfs', path]);
  } catch (error) {
    skip(`no file system can be mounted here: ${String(error).split('\n').at(0)}`);
  }
  onFileEnd(async () => {
    await run('umount', [path]);
  });
  return path;
}

async function start(dataDir: string): Promise<Message> {
  const service = spawnFixture('service', dataDir);
  const outcome = await service.outcome;
  await service.stop();
  return outcome;
}

afterEach(killFixtures);

describe('on a full disk', () => {
  test('no database is created, and the message names the directory and the space that is needed', async (context) => {
    const dataDir = await dataDirectory(await disk(2, context));
    expect(await start(dataDir)).toEqual({
      refused: 'EmbeddedError',
      message:
        `the disk of the data directory ${dataDir} is full: 1 MiB are free, a new database needs 128 MiB. ` +
        'Make room, or set SVC_DATA_DIR to another disk.',
    });
  });

  test('a service with data says so, and starts when there is space again', async (context) => {
    const mount = await disk(DISK_MIB, context);
    const dataDir = await dataDirectory(mount);
    expect(await start(dataDir)).toMatchObject({ ready: true });
    const filler = join(mount, 'filler');
    await writeFile(filler, Buffer.alloc(DISK_MIB * BYTES_PER_MIB)).catch(() => undefined);
    const refused = await start(dataDir);
    expect(refused.message).toMatch(/cannot be written to: the disk is full \(0 MiB free\)\. Make room/);
    await rm(filler);
    expect(await start(dataDir)).toMatchObject({ ready: true });
  });
});

test('a service whose disk becomes full tries without an end, and continues by itself when there is space', async (context) => {
  const mount = await disk(DISK_MIB, context);
  const service = spawnFixture('service', await dataDirectory(mount));
  const { url } = await service.outcome;
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  onTestFinished(() => pool.end());
  const filler = join(mount, 'filler');
  await writeFile(filler, Buffer.alloc(DISK_MIB * BYTES_PER_MIB)).catch(() => undefined);
  // The server ends if its write-ahead log does not fit.
  await expect(
    pool.query(
      `select pg_logical_emit_message(false, 'test', repeat('x', 1000000)) from generate_series(1, 100)`,
    ),
  ).rejects.toThrow();
  const tries = (): number =>
    service.messages.filter(({ msg }) => msg?.includes('cannot be started again') === true).length;
  await expect.poll(tries, { timeout: 50_000 }).toBeGreaterThan(7);
  await rm(filler);
  await service.until(({ msg }) => msg?.includes('is running again') === true);
  await expect.poll(() => pool.query('select 1').then(() => 'up', String)).toBe('up');
  expect(service.messages.some(({ failed }) => failed !== undefined)).toBe(false);
  await service.stop();
});

describe('on a read-only disk', () => {
  test('a service says so, with data and without', async (context) => {
    const mount = await disk(DISK_MIB, context);
    const dataDir = await dataDirectory(mount);
    expect(await start(dataDir)).toMatchObject({ ready: true });
    await run('mount', ['-o', 'remount,ro', mount]);
    const message =
      'the file system is read-only. Mount it for writing, or set SVC_DATA_DIR to another place.';
    expect((await start(dataDir)).message).toBe(
      `the data directory ${dataDir} cannot be written to: ${message}`,
    );
    const other = join(mount, 'other');
    expect((await start(other)).message).toBe(`the data directory ${other} cannot be created: ${message}`);
  });
});
