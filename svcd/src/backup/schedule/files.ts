import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A complete scheduled backup in a directory. */
export interface BackupFile {
  readonly name: string;
  /** When it was begun, by the clock of its node. */
  readonly atMs: number;
}

/** Other files are neither counted nor removed. */
const COMPLETE = /^svc-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/;
const PARTIAL = /^(svc-\d{8}T\d{6}Z\.backup)\.partial-[0-9a-f-]{36}$/;
/** The clocks of nodes may differ by this. A file whose time is further in the future was made with a wrong clock. */
const CLOCKS_APART_MAX_MS = 5 * 60 * 1000;

/** `svc-20260301T093000Z.backup`: names sort by time. */
export const backupName = (atMs: number): string =>
  `svc-${new Date(atMs).toISOString().replace(/[-:]|\.\d+/g, '')}.backup`;

function timeOf(name: string): number {
  const iso = name.replace(COMPLETE, '$1-$2-$3T$4:$5:$6Z');
  return iso === name ? Number.NaN : Date.parse(iso);
}

/** The complete scheduled backups in a directory, in no order. Throws what the file system throws. */
export async function listBackups(directory: string): Promise<readonly BackupFile[]> {
  return (await fileNames(directory))
    .map((name) => ({ name, atMs: timeOf(name) }))
    .filter(({ atMs }) => !Number.isNaN(atMs));
}

const isFuture = (atMs: number, nowMs: number): boolean => atMs > nowMs + CLOCKS_APART_MAX_MS;

/** When the newest backup was begun, without those of a wrong clock. Undefined if there is none. */
export function newestTime(files: readonly BackupFile[], nowMs: number): number | undefined {
  const times = files.map(({ atMs }) => atMs).filter((atMs) => !isFuture(atMs, nowMs));
  return times.length === 0 ? undefined : Math.max(...times);
}

/** How long it is until the next backup, which begins `everyMs` after the newest one; 0 or less if it is due. */
export const dueInMs = (newestMs: number | undefined, everyMs: number, nowMs: number): number =>
  newestMs === undefined ? 0 : newestMs + everyMs - nowMs;

/**
 * The backups to remove when `made` is complete: all but the newest `keep`, one of which is `made`. Those of a wrong clock
 * go first.
 */
function expiredBackups(
  files: readonly BackupFile[],
  { made, keep, nowMs }: { readonly made: string; readonly keep: number; readonly nowMs: number },
): readonly string[] {
  const others = files.filter(({ name }) => name !== made);
  const newestFirst = others.toSorted(
    (a, b) => Number(isFuture(a.atMs, nowMs)) - Number(isFuture(b.atMs, nowMs)) || b.atMs - a.atMs,
  );
  return newestFirst.slice(keep - 1).map(({ name }) => name);
}

/** Removes the parts that killed backups have left from a directory in which no backup runs. */
export async function removeParts(directory: string): Promise<void> {
  for (const name of await fileNames(directory))
    if (PARTIAL.test(name)) await rm(join(directory, name), { force: true });
}

/** Removes old backups from a directory in which `made` was completed and no other backup runs. Returns their names. */
export async function removeOld(
  directory: string,
  kept: { readonly made: string; readonly keep: number; readonly nowMs: number },
): Promise<readonly string[]> {
  const expired = expiredBackups(await listBackups(directory), kept);
  for (const name of expired) await rm(join(directory, name), { force: true });
  return expired;
}

async function fileNames(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
