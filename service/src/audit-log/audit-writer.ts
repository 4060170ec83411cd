import type { FairQueueLimits } from '@svc/fair-queue';
import type { CommitMonitor } from '@svc/telemetry/commits';
import { BusyError } from '@svc/turns';
import {
  GROUP_COMMIT_LOCK_TIMEOUT_MS,
  GROUP_COMMIT_MAX_ENTRIES,
  SHARD_COMMIT_PATIENCE_MS,
} from '../config/limits.ts';
import { isConnectionFailure, isRefused } from '../database/errors.ts';
import type { Trail } from '../database/lanes.ts';
import { inTransaction } from '../database/pool.ts';
import { type AuditedRequest, type Outcome, writeRequests } from './append-requests.ts';
import { AUDIT_QUEUE_LIMITS, createAuditQueue, type Group, type Pending, rejectAll } from './audit-queue.ts';
import { createHeldLogs } from './held-logs.ts';
import { writeRequestsInShard } from './shards/append-in-shard.ts';
import { createPlaces } from './shards/places.ts';
import { writeGroup } from './write-group.ts';

/** Writes the audit entries of requests. Each outcome is durable. */
export interface AuditWriter {
  /**
   * Resolves once the entry is committed. Rejects if the database could not write it. Rejects with BusyError if too many
   * entries wait, or if this one has waited for too long.
   */
  append(request: AuditedRequest): Promise<Outcome>;
  /** Resolves once every entry so far is written or has failed. */
  drain(): Promise<void>;
}

interface AuditWriterOptions {
  readonly limits?: FairQueueLimits;
  /** Measures the queue and the commits. */
  readonly monitor?: CommitMonitor;
}

/**
 * Group commit: while one group is written, requests gather for the next one, so that many share one commit. The statement
 * of a group waits for the log of one workspace only, the one whose entry has waited the longest: another process commits
 * its own group soon, and then all logs of that group are free. A workspace whose log stays held, or that is in a group
 * that the database refuses, is left out of the groups until held-logs.ts has written its entries.
 *
 * In a cluster of Citus, the workspaces of a shard are a group, with a commit of its own. The groups of several shards are
 * written at the same time, so that a node that is away delays and fails no others.
 */
export function createAuditWriter(
  lanes: Trail,
  { limits = AUDIT_QUEUE_LIMITS, monitor }: AuditWriterOptions = {},
): AuditWriter {
  const queue = createAuditQueue(limits);
  monitor?.watch(queue);
  const places = createPlaces(lanes.isDistributed);
  const shardOf = (workspaceId: string): string | undefined => places.of(workspaceId)?.shard;
  /** The groups that are written, by shard. Undefined: workspaces whose shards are looked for. */
  const writing = new Map<string | undefined, Promise<void>>();
  // Starts in a later microtask: writeGroups may end at once, and must not delete what is not set yet.
  const startGroups = (shard: string | undefined): void => {
    if (!writing.has(shard))
      writing.set(
        shard,
        Promise.resolve().then(() => writeGroups(shard)),
      );
  };
  const startWaiting = (): void => {
    for (const workspaceId of queue.waiting((id) => !held.has(id))) startGroups(shardOf(workspaceId));
  };
  const held = createHeldLogs(lanes, shardOf, queue, startWaiting, monitor);

  const writeGroups = async (shard: string | undefined): Promise<void> => {
    for (;;) {
      const wanted = (workspaceId: string): boolean =>
        !held.has(workspaceId) && shardOf(workspaceId) === shard;
      const group = queue.takeGroup(GROUP_COMMIT_MAX_ENTRIES, wanted);
      const oldest = oldestOf(group);
      if (oldest === undefined) break;
      if (shard === undefined) {
        await findPlaces(group);
        continue;
      }
      const { workspaceId, sinceMs } = oldest;
      // In a cluster, to wait is a statement of its own, which most groups do not need.
      const waits = shard === '' || performance.now() - sinceMs > SHARD_COMMIT_PATIENCE_MS;
      const waitFor = waits ? workspaceId : undefined;
      const patience = { waitFor, lockTimeoutMs: GROUP_COMMIT_LOCK_TIMEOUT_MS };
      const connections = shard === '' ? lanes.trail : lanes.shards.of(places.of(workspaceId)?.node ?? '');
      try {
        const written =
          shard === ''
            ? await writeGroup(writeRequests, connections, group, patience, monitor)
            : await inTransaction(connections, (client) =>
                writeGroup(writeRequestsInShard, client, group, patience, monitor),
              );
        written.settle();
        queue.putBack(written.left);
      } catch (error) {
        // The node of a shard that is away refuses nothing: it does not answer.
        if (!isRefused(error) || isConnectionFailure(error)) rejectAll(group, error);
        else {
          queue.putBack(group);
          places.forget([...group.keys()]);
          await held.add(connections, [...group.keys()], error);
          held.write();
        }
      }
    }
    writing.delete(shard);
    // A workspace may have got another shard meanwhile.
    startWaiting();
  };

  /** Finds the places of the workspaces of a group, and starts to write their entries. */
  const findPlaces = async (group: Group): Promise<void> => {
    try {
      await places.find(lanes.trail, [...group.keys()]);
    } catch (error) {
      rejectAll(group, error);
      return;
    }
    const lost = new Map([...group].filter(([workspaceId]) => places.of(workspaceId) === undefined));
    rejectAll(lost, new Error('A workspace has no shard.'));
    queue.putBack(new Map([...group].filter(([workspaceId]) => !lost.has(workspaceId))));
    startWaiting();
  };

  return {
    append: (request) =>
      new Promise((resolve, reject) => {
        if (!queue.add({ ...request, sinceMs: performance.now(), resolve, reject })) {
          reject(new BusyError('too many audit entries wait to be written'));
          return;
        }
        if (held.has(request.workspaceId)) held.write();
        else startGroups(shardOf(request.workspaceId));
      }),
    async drain() {
      while (writing.size > 0 || held.writing !== undefined)
        await Promise.all([...writing.values(), held.writing]);
    },
  };
}

/** The entry that has waited the longest. Undefined: the group is empty. */
function oldestOf(group: Group): Pending | undefined {
  let oldest: Pending | undefined;
  for (const [pending] of group.values())
    if (pending !== undefined && pending.sinceMs < (oldest?.sinceMs ?? Number.POSITIVE_INFINITY))
      oldest = pending;
  return oldest;
}
