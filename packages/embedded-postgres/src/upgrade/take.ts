import { setTimeout as delay } from 'node:timers/promises';
import type { Layout } from '../directory/data-directory.ts';
import { type DirectoryLock, tryLock } from '../directory/lock.ts';
import { EmbeddedError } from '../errors.ts';
import type { Log } from '../log.ts';
import { isConnectionLoss, joinServer } from '../server/connect.ts';
import { findStopped, lockedError } from '../server/open.ts';
import type { PostmasterState } from '../server/postmaster.ts';
import { claimServer, endServer, sessionName } from '../users/membership.ts';

/** How long to wait for the lock: the programs and sessions of a process that was killed end in this time. */
const PATIENCE_MS = 30_000;
const RETRY_PAUSE_MS = 50;

/** A data directory whose server does not run, with its lock. `before` is the state that its last server left. */
export type Taken = { readonly lock: DirectoryLock; readonly before: PostmasterState };

/**
 * Takes the lock of a data directory. Shuts the server down that a killed process has left running. Throws
 * DataDirectoryInUseError if a process uses the server.
 */
export async function takeDirectory(layout: Layout, purpose: string, log: Log): Promise<Taken> {
  const started = performance.now();
  for (;;) {
    await endAbandoned(layout, purpose, log);
    const lock = await tryLock(layout, purpose);
    if (lock !== undefined) {
      const before = await findStopped(layout);
      if (before !== undefined) return { lock, before };
      await lock.release();
    }
    if (performance.now() - started > PATIENCE_MS) throw await lockedError(layout);
    await delay(RETRY_PAUSE_MS);
  }
}

/** Shuts the running server of a data directory down, unless a process uses it. */
async function endAbandoned(layout: Layout, purpose: string, log: Log): Promise<void> {
  const server = await joinServer(layout, sessionName(purpose));
  if (server === undefined) return;
  try {
    if (!server.local)
      throw new EmbeddedError(
        `the PostgreSQL of the data directory ${layout.dataDir} runs in another container. End that container first.`,
      );
    await claimServer(server, layout);
  } catch (error) {
    await server.client.end();
    // It has just ended by itself.
    if (isConnectionLoss(error)) return;
    throw error;
  }
  await endServer(server, layout, log);
}
