import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLine } from '../account/processes.ts';
import { errorCode } from '../errors.ts';

const POLL_MS = 20;

/** The lines of postmaster.pid that matter, counted from 0. */
const LINE = { pid: 0, socketDirectory: 4 } as const;

/** What postmaster.pid of a cluster says, compared with what runs. */
export type PostmasterState =
  | { readonly kind: 'none' }
  /**
   * No process here is that server: it was killed, and the process id may by now belong to anybody, or it runs in
   * another container. Only the lock and the socket tell which.
   */
  | { readonly kind: 'stale'; readonly pid: number; readonly socketDirectory: string | undefined }
  /** `socketDirectory` is missing in the first moments of a start. */
  | { readonly kind: 'running'; readonly pid: number; readonly socketDirectory: string | undefined };

/** Looks for the server of a cluster; `pgdata` is the path that servers of it are started with. */
export async function findPostmaster(pgdata: string): Promise<PostmasterState> {
  const lines = await readLines(join(pgdata, 'postmaster.pid'));
  const pid = Number.parseInt(lines[LINE.pid] ?? '', 10);
  if (!(pid > 0)) return { kind: 'none' };
  const kind = (await isPostmasterOf(pid, pgdata)) ? 'running' : 'stale';
  return { kind, pid, socketDirectory: lines[LINE.socketDirectory]?.trim() || undefined };
}

/** Resolves when the process is no longer the server of this cluster. For one that is not our child. */
export async function untilGone(pid: number, pgdata: string): Promise<void> {
  while (await isPostmasterOf(pid, pgdata)) await delay(POLL_MS);
}

/**
 * Whether this process is the server of this cluster, by its command line: the setting that says so, or in version
 * 0.1.0 `postgres -D <pgdata> …`. Its sessions have other titles, a zombie has none, and whoever got a killed
 * server's process id has another.
 */
async function isPostmasterOf(pid: number, pgdata: string): Promise<boolean> {
  const words = `${await commandLine(pid)} `;
  return words.includes(` ${clusterSetting(pgdata)} `) || words.includes(` -D ${pgdata} `);
}

/** A setting without an effect, by which a server is known: its data directory may have another name for it. */
export const clusterSetting = (pgdata: string): string => `svc.data_directory=${pgdata}`;

async function readLines(path: string): Promise<readonly string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}
