import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@svc/embedded-postgres/testing';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { runSvcd, type ServiceProcess, startSvcd } from '@svc/service/harness/process.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { backupName } from '../../src/backup/schedule/files.ts';
import { FAILED, MADE, NAME, newDeployment } from './scheduled.ts';
import { bash, expectDone, exportOf, newDataDir, quietWorkspace } from './support.ts';

vi.setConfig({ testTimeout: 120_000 });
const HOUR_MS = 3_600_000;
async function metric({ url }: ServiceProcess, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

/** Gives a backup the name of an earlier time. */
async function makeOlder(directory: string, name: string, hours: number): Promise<string> {
  const older = backupName(Date.now() - hours * HOUR_MS);
  await rename(join(directory, name), join(directory, older));
  return older;
}

test('a service makes a backup when one is due, not at each start, keeps the newest ones, and each can be restored', async () => {
  const { env, directory, files } = await newDeployment(await createTestDatabase(), {
    SVC_BACKUP_EVERY_HOURS: '2',
    SVC_BACKUP_KEEP: '2',
  });
  const workspaceId = await quietWorkspace(env, 500);
  const exported = await exportOf(env, workspaceId);
  const first = await startSvcd(env);
  await first.printed(MADE);
  const [name = ''] = await files();
  expect(name).toMatch(NAME);
  expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
  await waitFor(async () => {
    const at = await metric(first, 'svc_backup_last_success_timestamp_seconds');
    expect(Math.abs(at - Date.now() / 1_000)).toBeLessThan(120);
  });
  expect(await metric(first, 'svc_backup_interval_seconds')).toBe(7_200);
  await first.stop();

  const again = await startSvcd(env);
  await waitFor(async () =>
    expect(await metric(again, 'svc_backup_last_success_timestamp_seconds')).toBeGreaterThan(0),
  );
  await again.stop();
  expect(await files()).toEqual([name]);

  const older = await makeOlder(directory, name, 3);
  const oldest = backupName(Date.now() - 30 * HOUR_MS);
  const part = `${oldest}.partial-0b0d2f4e-5a0c-4d6e-8f57-6f6c0a1b2c3d`;
  for (const other of [oldest, part, 'notes.txt']) await writeFile(join(directory, other), '');
  const later = await startSvcd(env);
  const [, removed] = await later.printed(/removed 1 old backup: (svc-\w+\.backup)/);
  expect(removed).toBe(oldest);
  await later.stop();
  expect(await files()).toEqual(['notes.txt', older, expect.stringMatching(NAME)]);

  const copy = await newDataDir();
  const restored = await expectDone(runSvcd(['restore', join(directory, older)], { env: copy }));
  expect(restored.stderr).toContain('The backup does not contain the secret');
  expect(await exportOf(copy, workspaceId)).toBe(exported);
});

test('of two nodes with one directory, one makes the backup', async () => {
  const { env, files, hold, held } = await newDeployment(await createTestDatabase());
  const release = await hold();
  const nodes = await Promise.all([startSvcd(env), startSvcd(env)]);
  await held();
  await Promise.any(nodes.map(({ printed }) => printed(/another node makes the scheduled backup/)));
  await release();
  await Promise.any(nodes.map(({ printed }) => printed(MADE)));
  expect(await files()).toEqual([expect.stringMatching(NAME)]);
  await Promise.all(nodes.map(({ stop }) => stop()));
  expect(nodes.filter(({ stdout }) => MADE.test(stdout()))).toHaveLength(1);
});

test('a backup is not ended by the idle_session_timeout of the database', async () => {
  const database = await createTestDatabase();
  const { env, files, hold, held } = await newDeployment(database);
  const release = await hold();
  await database.pool.query(`do $$ begin
    execute format('alter database %I set idle_session_timeout = ''1s''', current_database()); end $$`);
  const service = await startSvcd(env);
  await held();
  const idle = new pg.Client({ connectionString: database.url });
  idle.on('error', () => undefined);
  await idle.connect();
  await new Promise<void>((resolve) => idle.once('end', resolve));
  await release();
  await service.printed(MADE);
  await service.stop();
  expect(service.stdout()).not.toMatch(FAILED);
  expect(await files()).toEqual([expect.stringMatching(NAME)]);
});

describe('a failure is one line of the log, and the backup is tried again', () => {
  test('if the directory is missing', async () => {
    const directory = join(await temporaryDirectory(), 'missing');
    const { env } = await newDeployment(await createTestDatabase(), { SVC_BACKUP_DIR: directory });
    const service = await startSvcd(env);
    await service.printed(
      /the scheduled backup failed: ENOENT.*SVC_BACKUP_DIR must be a directory that exists/,
    );
    expect(await metric(service, 'svc_backup_failures_total')).toBeGreaterThan(0);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await mkdir(directory);
    await service.printed(MADE);
    await service.stop();
    expect(await readdir(directory)).toEqual([expect.stringMatching(NAME)]);
  });

  test('if the connection to the database breaks', async () => {
    const { env, files, hold, held, cut } = await newDeployment(await createTestDatabase());
    const release = await hold();
    const service = await startSvcd(env);
    await held();
    await cut();
    await service.printed(FAILED);
    expect(await files()).toEqual([]);
    await release();
    await service.printed(MADE);
    await service.stop();
    expect(await files()).toEqual([expect.stringMatching(NAME)]);
  });
});

describe('a backup in its middle', () => {
  test.each([
    ['SIGTERM', 0],
    ['SIGKILL', null],
  ] as const)('ends with its service after %s, and leaves nothing', async (signal, code) => {
    const { env, files, hold, held } = await newDeployment(await createTestDatabase());
    const release = await hold();
    const service = await startSvcd(env);
    await held();
    expect(await files()).toEqual([expect.stringContaining('.backup.partial-')]);
    expect(await service.stop(signal)).toMatchObject({ code });
    await waitFor(async () => expect(await files()).toEqual([]));
    await release();
    expect(service.stdout()).not.toMatch(FAILED);
    const next = await startSvcd(env);
    await next.printed(MADE);
    await next.stop();
    expect(await files()).toHaveLength(1);
  });
});

test('the part that a killed backup has left is removed before the next one needs its space', async () => {
  const { env, directory, files, hold, held } = await newDeployment(await createTestDatabase());
  const part = `${backupName(Date.now() - HOUR_MS)}.partial-0b0d2f4e-5a0c-4d6e-8f57-6f6c0a1b2c3d`;
  await writeFile(join(directory, part), '');
  const release = await hold();
  const made = expectDone(runSvcd(['backup', '--scheduled'], { env }));
  await held();
  const during = await files();
  await release();
  await made;
  expect(during).toEqual([expect.stringContaining('.backup.partial-')]);
  expect(during).not.toContain(part);
  expect(await files()).toEqual([expect.stringMatching(NAME)]);
});

test('a scheduled backup is made if its process may not set its priority', async () => {
  const { env, files } = await newDeployment(await createTestDatabase());
  // From the lowest priority, the backup's own would be a higher one, which needs the capability.
  const { stderr, code } = await bash(
    `[ "$(id -u)" = 0 ] && without='setpriv --bounding-set=-sys_nice'
     export -f svcd; $without nice -n 19 bash -c 'svcd backup --scheduled'`,
    env,
  );
  expect([code, stderr]).toEqual([0, expect.stringContaining('backed up')]);
  expect(await files()).toEqual([expect.stringMatching(NAME)]);
});

test('a scheduled backup does not contain the secret', async () => {
  const { env, directory, files } = await newDeployment(await createTestDatabase());
  await expectDone(runSvcd(['backup', '--scheduled'], { env }));
  const [name = ''] = await files();
  expect((await readFile(join(directory, name))).includes(env.SVC_SECRET)).toBe(false);
});

test('svcd doctor says whether backups can be written, and how old the newest one is', async () => {
  const { env, directory, files } = await newDeployment(await createTestDatabase());
  const found = async (settings: Readonly<Record<string, string>> = {}): Promise<string> =>
    (await runSvcd(['doctor'], { env: { ...env, ...settings } })).stdout;
  expect(await found()).toMatch(/backups +there is none in/);
  await expectDone(runSvcd(['backup', '--scheduled'], { env }));
  expect(await found()).toMatch(/backups +the newest one in .* was begun less than an hour ago/);
  await makeOlder(directory, (await files())[0] ?? '', 60);
  expect(await found()).toMatch(/backups +the newest one in .* was begun 60 h ago/);
  expect(await found({ SVC_BACKUP_DIR: join(directory, 'missing') })).toMatch(/backups +ENOENT/);
});
