import type { Account } from '../account/account.ts';
import {
  type Binaries,
  PACKAGED_MAJOR_VERSION,
  reachablePrograms,
  usablePrograms,
} from '../cluster/programs.ts';
import { exists, NEW_SETTINGS_FILE, switchClusters } from '../cluster/switch.ts';
import type { Layout } from '../directory/data-directory.ts';
import { reached } from '../log.ts';
import { sessionName } from '../users/membership.ts';
import { createDraft, draftLayout, removeDraft } from './draft.ts';
import type { UpgradeOptions } from './options.ts';
import { endServers, type OwnServer, startOwnServer } from './servers.ts';
import { prepareSettings } from './settings.ts';
import type { Taken } from './take.ts';

/** The old server only reads. Another process cannot join it, but could connect with the password. */
const OLD_SERVER_SETTINGS = ['default_transaction_read_only=on', 'autovacuum=off'];

/** The cluster to move, with its programs and its lock. */
export type OldCluster = Taken & {
  readonly major: string;
  readonly account: Account | undefined;
  readonly programs: Binaries;
};

/**
 * Copies the old cluster into a new one and puts that in its place. Returns the settings that the new PostgreSQL refuses.
 * After a failure, the old cluster is in its place and the new one is removed.
 */
export async function moveData(
  layout: Layout,
  old: OldCluster,
  options: UpgradeOptions,
): Promise<readonly string[]> {
  const { purpose, log } = options;
  try {
    const refused = await copyData(layout, old, options);
    options.onPhase(`Putting PostgreSQL ${PACKAGED_MAJOR_VERSION} in place`);
    await switchClusters(layout, draftLayout(layout), old.major, log);
    return refused;
  } catch (error) {
    // Without the old cluster in its place, the next start finishes the switch.
    if (await exists(layout.pgdata)) await removeDraft(layout, purpose, log);
    throw error;
  }
}

async function copyData(
  layout: Layout,
  old: OldCluster,
  { purpose, signal, log, copy, onPhase }: UpgradeOptions,
): Promise<readonly string[]> {
  const { major, account } = old;
  const common = { account, applicationName: sessionName(purpose), connections: 0, log };
  const servers: OwnServer[] = [];
  let draft: Taken | undefined;
  try {
    onPhase(`Starting PostgreSQL ${major} on the data in ${layout.pgdata}`);
    const from = await startOwnServer({
      ...common,
      ...old,
      layout,
      binaries: old.programs,
      settings: OLD_SERVER_SETTINGS,
    });
    servers.push(from);
    reached(log, 'old-server-ready');
    signal.throwIfAborted();

    onPhase(`Creating a database of PostgreSQL ${PACKAGED_MAJOR_VERSION}`);
    const binaries = await reachablePrograms(await usablePrograms(layout, log), account, log);
    draft = await createDraft(layout, binaries, account, purpose, log);
    reached(log, 'new-cluster-ready');
    const refused = await prepareSettings(layout, draftLayout(layout), binaries, account);
    reached(log, 'settings-ready');
    const settingsFile = refused.length === 0 ? {} : { settingsFile: NEW_SETTINGS_FILE };
    const to = await startOwnServer({
      ...common,
      ...draft,
      ...settingsFile,
      layout: draftLayout(layout),
      binaries,
    });
    servers.push(to);
    reached(log, 'new-server-ready');
    signal.throwIfAborted();

    onPhase('Copying the data');
    await untilAborted(copy({ from: from.server.url, to: to.server.url }), signal);
    reached(log, 'data-copied');
    onPhase('Stopping both databases');
    await endServers(servers.splice(0), log);
    reached(log, 'servers-stopped');
    signal.throwIfAborted();
    return refused;
  } finally {
    await endServers(servers, log);
    await draft?.lock.release();
  }
}

/** Waits for `work`, but only until the signal: then its servers are stopped, which ends it. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
    work.catch(() => undefined);
  }
}
