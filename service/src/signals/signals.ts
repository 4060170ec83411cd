import { createAnnouncer } from '@svc/signals/announcer';
import { createTopics } from '@svc/signals/topics';
import type { Queryable } from '@svc/turns/lane';
import {
  SIGNAL_PAUSE_MS,
  SIGNAL_POLL_PAUSE_MS,
  SIGNAL_POLL_WORKSPACES_MAX,
  SIGNALS_WAITING_MAX,
} from '../config/limits.ts';
import { preparedStatement } from '../database/statement.ts';

/** What a watcher of a workspace is told. Each may also be told without a reason. */
interface WorkspaceWatcher {
  /** The workspace may have new changes. */
  readonly onChange: () => void;
  /** Keys of the workspace may have been revoked or rotated. */
  readonly onKeys: () => void;
}

/**
 * Tells those who wait for changes of a workspace, in all processes of all nodes, that there are some. A signal carries no
 * data: who gets it reads the database. A signal that was lost is replaced by a look at the database every
 * SIGNAL_POLL_PAUSE_MS.
 */
export interface ChangeSignals {
  /** Announces changes of a workspace. Call it after the commit. It never waits, and never throws. */
  announce(workspaceId: string): void;
  /** Announces that keys of a workspace were revoked or rotated, which is also a change. Call it after the commit. */
  announceKeys(workspaceId: string): void;
  /** Tells the watcher of everything that is committed after this call. Returns a function that ends this. */
  watch(workspaceId: string, watcher: WorkspaceWatcher): () => void;
  /** Sends the announcements that wait. Watchers are told nothing more. */
  close(): Promise<void>;
}

/** Carries topics to all processes, and back to this one. */
export interface SignalChannel {
  /** Sends topics to all processes, also to this one. */
  readonly send: (topics: readonly string[]) => Promise<unknown>;
  /** Sets the function that is called with the topics that all processes have sent. */
  readonly receive: (listener: (topics: readonly string[]) => void) => void;
}

/** A channel of one process only. */
export function localChannel(): SignalChannel {
  let receiver: ((topics: readonly string[]) => void) | undefined;
  return {
    send: async (topics) => receiver?.(topics),
    receive(listener) {
      receiver = listener;
    },
  };
}

interface SignalOptions {
  readonly channel: SignalChannel;
  /** Runs the statement that looks at all watched workspaces. */
  readonly connections: Queryable;
  readonly log: { readonly warn: (fields: object, message: string) => void };
}

/** A change of keys is a topic of its own, so that most signals need no look at the key. No id contains a slash. */
const KEYS = '/keys';

export function createChangeSignals({ channel, connections, log }: SignalOptions): ChangeSignals {
  const announcer = createAnnouncer({
    send: channel.send,
    pauseMs: SIGNAL_PAUSE_MS,
    waitingMax: SIGNALS_WAITING_MAX,
    onFailure: (error) => log.warn({ err: error }, 'changes cannot be announced; they are noticed later'),
  });
  const topics = createTopics({
    readVersions: (names) => readVersions(connections, names),
    // A workspace has two topics.
    readMax: 2 * SIGNAL_POLL_WORKSPACES_MAX,
    pauseMs: SIGNAL_POLL_PAUSE_MS,
    onFailure: (error) =>
      log.warn({ err: error }, 'the database cannot be asked for new changes; trying again'),
  });
  channel.receive(topics.wake);
  return {
    announce: announcer.announce,
    announceKeys(workspaceId) {
      announcer.announce(workspaceId);
      announcer.announce(workspaceId + KEYS);
    },
    watch(workspaceId, { onChange, onKeys }) {
      const ends = [topics.watch(workspaceId, onChange), topics.watch(workspaceId + KEYS, onKeys)];
      return () => ends.forEach((end) => void end());
    },
    async close() {
      topics.close();
      await announcer.drain();
    },
  };
}

/** Each look-up of a change is one row of a primary key, whatever the planner expects: hence the limit. */
const selectVersions = preparedStatement('signal_versions', 'bulk')`
  select m.workspace_id, coalesce(c.last_at::text, '') as last_at, m.keys_version
  from live_meters m left join lateral (
    select last_at from changes where workspace_id = m.workspace_id order by last_at desc limit 1) c on true
  where m.workspace_id = any($1)`;

interface VersionsRow {
  readonly workspace_id: string;
  readonly last_at: string;
  readonly keys_version: number;
}

async function readVersions(
  connections: Queryable,
  topics: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const workspaceIds = new Set(
    topics.map((topic) => (topic.endsWith(KEYS) ? topic.slice(0, -KEYS.length) : topic)),
  );
  const { rows } = await connections.query<VersionsRow>(selectVersions([...workspaceIds]));
  return new Map(
    rows.flatMap(({ workspace_id, last_at, keys_version }) => [
      [workspace_id, last_at],
      [workspace_id + KEYS, String(keys_version)],
    ]),
  );
}
