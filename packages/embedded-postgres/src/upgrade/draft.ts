import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from '../account/account.ts';
import { ensureCluster } from '../cluster/initialise.ts';
import { requirePassword } from '../cluster/password.ts';
import type { Binaries } from '../cluster/programs.ts';
import { completeCluster, draftDirectory, exists, NEW_SETTINGS_FILE } from '../cluster/switch.ts';
import { type Layout, layoutOf } from '../directory/data-directory.ts';
import { ensureDirectory, openNew } from '../directory/files.ts';
import type { Log } from '../log.ts';
import { removeDirectory } from './remove.ts';
import { type Taken, takeDirectory } from './take.ts';

/** As a data directory: the server's user must be able to reach its part. */
const PASSABLE = 0o711;
const PRIVATE = 0o700;
const OWNER_ONLY = 0o600;

/**
 * The layout of the data directory in which an upgrade creates the new cluster. Its server uses the configuration and the
 * log of the real data directory.
 */
export function draftLayout(layout: Layout): Layout {
  const { configDirectory, logFile } = layout;
  return { ...layoutOf(draftDirectory(layout)), configDirectory, logFile };
}

/**
 * Removes what an upgrade that failed or was killed has left, also its server. The caller has the lock of the data
 * directory, and the old cluster is in its place.
 */
export async function removeDraft(layout: Layout, purpose: string, log: Log): Promise<void> {
  const draft = draftLayout(layout);
  if (await exists(draft.dataDir)) await removeDirectory(draft, purpose, log);
  await rm(completeCluster(layout), { recursive: true, force: true });
  await rm(join(layout.configDirectory, NEW_SETTINGS_FILE), { force: true });
}

/**
 * Creates an empty cluster of the packaged PostgreSQL with the password and the owner of the old one. Returns the lock of
 * its directory.
 */
export async function createDraft(
  layout: Layout,
  binaries: Binaries,
  account: Account | undefined,
  purpose: string,
  log: Log,
): Promise<Taken> {
  const draft = draftLayout(layout);
  const owner = account === undefined ? undefined : await stat(layout.dataDir);
  await ensureDirectory(draft.dataDir, PASSABLE, owner);
  const password = await openNew(draft.passwordFile, OWNER_ONLY);
  try {
    await password.write(`${await requirePassword(layout)}\n`);
  } finally {
    await password.close();
  }
  const taken = await takeDirectory(draft, purpose, log);
  try {
    await ensureDirectory(draft.pgdata, PRIVATE, account);
    await ensureCluster({ layout: draft, lock: taken.lock, account, binaries, log });
    return taken;
  } catch (error) {
    await taken.lock.release();
    throw error;
  }
}
