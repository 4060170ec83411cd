import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { expect, test } from 'vitest';
import {
  backupName,
  dueInMs,
  listBackups,
  newestTime,
  removeOld,
  removeParts,
} from '../../src/backup/schedule/files.ts';
import { retryPauseMs } from '../../src/backup/schedule/schedule.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 2, 10, 12);
const hoursAgo = (hours: number): string => backupName(NOW - hours * HOUR_MS);
const part = (name: string): string => `${name}.partial-0b0d2f4e-5a0c-4d6e-8f57-6f6c0a1b2c3d`;
/** None of them is a file of the schedule. */
const FOREIGN = [
  'notes.txt',
  'svc.backup',
  'svc-20260301.backup',
  'svc-20261341T093000Z.backup',
  'svc-20260301T093000Z.backup.gz',
  'svc-20260301T093000Z.backup.partial-mine',
  'my-svc-20260301T093000Z.backup',
];

async function directoryOf(names: readonly string[]): Promise<string> {
  const directory = await temporaryDirectory();
  for (const name of names) await writeFile(join(directory, name), '');
  return directory;
}

test('the names of scheduled backups sort by time', () => {
  expect(backupName(Date.UTC(2026, 2, 1, 9, 30))).toBe('svc-20260301T093000Z.backup');
  const names = [30, 20, 10, 0].map(hoursAgo);
  expect(names.toSorted()).toEqual(names);
});

test('only the parts of scheduled backups are removed before one is made', async () => {
  const directory = await directoryOf([
    ...FOREIGN,
    ...[0, 24].map(hoursAgo),
    ...[24, 30].map(hoursAgo).map(part),
  ]);
  await removeParts(directory);
  expect(await readdir(directory)).toEqual([...FOREIGN, ...[0, 24].map(hoursAgo)].sort());
});

test('only old scheduled backups are removed, and the newest ones are kept', async () => {
  const directory = await directoryOf([...FOREIGN, ...[0, 24, 48, 72].map(hoursAgo)]);
  await mkdir(join(directory, hoursAgo(96)));
  await symlink('/etc/passwd', join(directory, hoursAgo(120)));
  const removed = await removeOld(directory, { made: hoursAgo(0), keep: 2, nowMs: NOW });
  expect([...removed].sort()).toEqual([hoursAgo(72), hoursAgo(48)]);
  expect(await readdir(directory)).toEqual(
    [...FOREIGN, hoursAgo(0), hoursAgo(24), hoursAgo(96), hoursAgo(120)].sort(),
  );
});

test('the backup that was just made is kept, also if a wrong clock has made others in the future', async () => {
  const directory = await directoryOf([0, 24, -1_000, -2_000].map(hoursAgo));
  await removeOld(directory, { made: hoursAgo(0), keep: 2, nowMs: NOW });
  expect((await readdir(directory)).sort()).toEqual([hoursAgo(24), hoursAgo(0)]);
  await removeOld(directory, { made: hoursAgo(0), keep: 1, nowMs: NOW });
  expect(await readdir(directory)).toEqual([hoursAgo(0)]);
});

test('the next backup is due by the newest one that is not in the future', async () => {
  const due = async (names: readonly string[]) =>
    dueInMs(newestTime(await listBackups(await directoryOf(names)), NOW), 24 * HOUR_MS, NOW);
  expect(await due(FOREIGN)).toBe(0);
  expect(await due([part(hoursAgo(1))])).toBe(0);
  expect(await due([hoursAgo(1), hoursAgo(30)])).toBe(23 * HOUR_MS);
  expect(await due([hoursAgo(30), hoursAgo(-1_000)])).toBe(-6 * HOUR_MS);
  // The clock of another node is a minute ahead.
  expect(await due([backupName(NOW + 60_000)])).toBe(24 * HOUR_MS + 60_000);
});

test('the pause after a failure grows to an hour', () => {
  expect([0, 1, 2, 9, 10, 5_000].map(retryPauseMs)).toEqual([
    5_000, 10_000, 20_000, 2_560_000, 3_600_000, 3_600_000,
  ]);
});
