import { resolve } from 'node:path';
import { clusterAccount } from '../account/account.ts';
import { PACKAGED_MAJOR_VERSION } from '../cluster/programs.ts';
import { exists, finishSwitch, keptCluster } from '../cluster/switch.ts';
import { clusterMajor, OtherMajorVersionError } from '../cluster/version.ts';
import { findDataDirectory, type Layout } from '../directory/data-directory.ts';
import { EmbeddedError } from '../errors.ts';
import { reached } from '../log.ts';
import { draftLayout, removeDraft } from './draft.ts';
import { moveData } from './move.ts';
import { howToGet, oldPrograms } from './old-programs.ts';
import type { UpgradeOptions } from './options.ts';
import { refuseSmallDisk } from './space.ts';
import { type Taken, takeDirectory } from './take.ts';

/** An upgrade that is done. */
export type Upgraded = {
  /** Major versions: `17` and `18`. */
  readonly from: string;
  readonly to: string;
  /** The directory of the old cluster. Nothing uses it, and the operator may remove it. */
  readonly kept: string;
  /** The settings of postgresql.conf that the new PostgreSQL refuses. They are comments now. */
  readonly refusedSettings: readonly string[];
};

/**
 * Moves the data of an older major version of PostgreSQL to a new cluster of the packaged one, with both servers. Needs
 * the space of a second copy. Undefined if the cluster has the packaged version already.
 *
 * If it fails, the old cluster is in its place, and has no other changes than those of a start and a stop. If it is
 * killed, the next start or upgrade finds the old or the new cluster, complete. Throws DataDirectoryInUseError while a
 * process uses the data directory, and EmbeddedError for other failures.
 */
export async function upgradeEmbedded(options: UpgradeOptions): Promise<Upgraded | undefined> {
  const { purpose, oldBinaries, log } = options;
  const layout = await findDataDirectory(options.dataDir);
  if (layout === undefined) throw new EmbeddedError(`there is no data directory ${resolve(options.dataDir)}`);
  await clusterAccount(layout);
  const major = await clusterMajor(layout);
  if (major === PACKAGED_MAJOR_VERSION && !(await exists(draftLayout(layout).dataDir))) return undefined;
  // Before the server of a killed service is stopped.
  if (major !== undefined) requireDirectory(layout, major, oldBinaries);
  const taken = await takeDirectory(layout, purpose, log);
  try {
    reached(log, 'upgrade-locked');
    await finishSwitch(layout, log);
    return await upgradeTaken(layout, taken, options);
  } finally {
    await taken.lock.release();
  }
}

/** The directory of the old programs. Throws if there is none, or if no upgrade is possible from this version. */
function requireDirectory(layout: Layout, major: string, directory: string | undefined): string {
  if (Number(major) > Number(PACKAGED_MAJOR_VERSION)) throw new OtherMajorVersionError(layout, major);
  if (directory !== undefined || major === PACKAGED_MAJOR_VERSION) return directory ?? '';
  throw new EmbeddedError(
    `${layout.pgdata} was created by PostgreSQL ${major}, and its programs are needed to read it: ${howToGet(major)}`,
  );
}

async function upgradeTaken(
  layout: Layout,
  taken: Taken,
  options: UpgradeOptions,
): Promise<Upgraded | undefined> {
  const { purpose, oldBinaries, log } = options;
  const major = await clusterMajor(layout);
  if (major === undefined) throw new EmbeddedError(`there is no database in ${layout.pgdata}`);
  const kept = keptCluster(layout, major);
  // Before anything is removed: it can also be the data of an upgrade after which an old release was started.
  if (major !== PACKAGED_MAJOR_VERSION && (await exists(kept)))
    throw new EmbeddedError(`${kept} exists, and the old data would be kept there. Move it away first.`);
  await removeDraft(layout, purpose, log);
  if (major === PACKAGED_MAJOR_VERSION) return undefined;
  const directory = requireDirectory(layout, major, oldBinaries);
  const account = await clusterAccount(layout);
  const programs = await oldPrograms(directory, major, account, log);
  await refuseSmallDisk(layout);
  const refusedSettings = await moveData(layout, { ...taken, major, account, programs }, options);
  return { from: major, to: PACKAGED_MAJOR_VERSION, kept, refusedSettings };
}
