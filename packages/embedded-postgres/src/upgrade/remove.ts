import { rm, rmdir } from 'node:fs/promises';
import { findDataDirectory, type Layout } from '../directory/data-directory.ts';
import type { Log } from '../log.ts';
import { takeDirectory } from './take.ts';

/**
 * Removes a data directory with all its data, and shuts the server down that a killed process has left running there. Does
 * nothing if there is none. Throws DataDirectoryInUseError while a process uses it.
 */
export async function removeEmbedded(dataDir: string, purpose: string, log: Log): Promise<void> {
  const layout = await findDataDirectory(dataDir);
  if (layout !== undefined) await removeDirectory(layout, purpose, log);
}

/** The same for a directory that exists. */
export async function removeDirectory(layout: Layout, purpose: string, log: Log): Promise<void> {
  const { lock } = await takeDirectory(layout, purpose, log);
  try {
    await rm(layout.dataDir, { recursive: true, force: true });
    // It is in the directory for temporary files if the path is too long for a socket.
    await rmdir(layout.socketDirectory).catch(() => undefined);
  } finally {
    await lock.release();
  }
}
