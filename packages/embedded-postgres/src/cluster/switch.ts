import { lstat, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Layout } from '../directory/data-directory.ts';
import { fileError, syncDirectory } from '../directory/files.ts';
import { hasCode } from '../errors.ts';
import { type Log, reached } from '../log.ts';
import { SETTINGS_FILE } from './configuration.ts';

// A major upgrade ends with a switch: it renames the old cluster, then the new one to its place. The names say how far
// it got, so a switch that was killed is finished by the next start or the next upgrade.

/** The settings for the new cluster, in the directory of the configuration, until the switch. */
export const NEW_SETTINGS_FILE = `${SETTINGS_FILE}.new-major`;
/** The name of the earlier settings after a switch that changed them. */
const OLD_SETTINGS_FILE = `${SETTINGS_FILE}.old`;

/** A data directory in the data directory, in which an upgrade creates the new cluster. Removed at the end. */
export const draftDirectory = ({ dataDir }: Layout): string => join(dataDir, 'postgres.upgrade');

/** The new cluster when it is complete, until it gets its place. */
export const completeCluster = ({ dataDir }: Layout): string => join(dataDir, 'postgres.upgraded');

/** The old cluster after a switch. Nothing uses it. */
export const keptCluster = ({ dataDir }: Layout, major: string): string => join(dataDir, `postgres.${major}`);

/**
 * Puts the new cluster in the place of the old one, which is kept. Both servers are stopped, and the caller has the lock.
 */
export async function switchClusters(layout: Layout, draft: Layout, major: string, log: Log): Promise<void> {
  try {
    await rename(draft.pgdata, completeCluster(layout));
    await syncDirectory(layout.dataDir);
    reached(log, 'new-complete');
    await rename(layout.pgdata, keptCluster(layout, major));
    await syncDirectory(layout.dataDir);
    reached(log, 'old-kept');
  } catch (error) {
    throw await fileError(`${layout.pgdata} cannot be renamed`, layout.dataDir, error);
  }
  await finishSwitch(layout, log);
}

/** Finishes a switch that was killed after it renamed the old cluster. Does nothing if there was none. */
export async function finishSwitch(layout: Layout, log: Log): Promise<void> {
  const complete = completeCluster(layout);
  if ((await exists(layout.pgdata)) || !(await exists(complete))) return;
  try {
    await takeNewSettings(layout);
    reached(log, 'settings-in-place');
    await rename(complete, layout.pgdata);
    await syncDirectory(layout.dataDir);
    reached(log, 'new-in-place');
    await rm(draftDirectory(layout), { recursive: true, force: true });
  } catch (error) {
    throw await fileError(`${complete} cannot be renamed to ${layout.pgdata}`, layout.dataDir, error);
  }
}

/** Renames the settings of the operator and the ones for the new cluster. Does nothing if these are the same. */
async function takeNewSettings({ configDirectory }: Layout): Promise<void> {
  const prepared = join(configDirectory, NEW_SETTINGS_FILE);
  const settings = join(configDirectory, SETTINGS_FILE);
  if (!(await exists(prepared))) return;
  if (await exists(settings)) await rename(settings, join(configDirectory, OLD_SETTINGS_FILE));
  await rename(prepared, settings);
  await syncDirectory(configDirectory);
}

/** Whether there is something at a path, also a link that leads nowhere. */
export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}
