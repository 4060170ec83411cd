import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLine } from '../account/processes.ts';
import { hasCode } from '../errors.ts';

const POLL_MS = 20;

/** The lines of postmaster.pid that matter, counted from 0. */
const LINE = { pid: 0, socketDirectory: 4 } as const;

/** What postmaster.pid of a cluster says, compared with the running processes. */
export type PostmasterState =
  | { readonly kind: 'none' }
  /**
   * No process in this container is that server. It was killed, and another process may have its id now, or it runs
   * in another container. Only the lock and the socket tell which.
   */
  | { readonly kind: 'stale'; readonly pid: number; readonly socketDirectory: string | undefined }
  /** `socketDirectory` is undefined in the first moments of a start. */
  | { readonly kind: 'running'; readonly pid: number; readonly socketDirectory: string | undefined };

/** Looks for the server of a cluster. `pgdata` is the path that its servers are started with. */
export async function findPostmaster(pgdata: string): Promise<PostmasterState> {
  const lines = await readLines(join(pgdata, 'postmaster.pid'));
  const pid = Number.parseInt(lines[LINE.pid] ?? '', 10);
  if (!(pid > 0)) return { kind: 'none' };
  const kind = (await isPostmasterOf(pid, pgdata)) ? 'running' : 'stale';
  return { kind, pid, socketDirectory: lines[LINE.socketDirectory]?.trim() || undefined };
}

/**
 * Resolves when the process is no longer the server of this cluster. For a server that is no child of this process.
 */
export async function untilGone(pid: number, pgdata: string): Promise<void> {
  while (await isPostmasterOf(pid, pgdata)) await delay(POLL_MS);
}

/**
 * Whether this process is the server of this cluster. Its command line has `clusterSetting`, or `-D <pgdata>` if
 * version 0.1.0 has started it. The server's sessions, zombies and other programs have other command lines.
 */
async function isPostmasterOf(pid: number, pgdata: string): Promise<boolean> {
  const words = `${await commandLine(pid)} `;
  return words.includes(` ${clusterSetting(pgdata)} `) || words.includes(` -D ${pgdata} `);
}

/** A setting without effect that identifies the server of a cluster. The server may use another path for its data. */
export const clusterSetting = (pgdata: string): string => `svc.data_directory=${pgdata}`;

async function readLines(path: string): Promise<readonly string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}
