import type { FairQueueLimits } from '@svc/fair-queue';
import type { CommitMonitor } from '@svc/telemetry/commits';
import { BusyError } from '@svc/turns';
import {
  GROUP_COMMIT_LOCK_TIMEOUT_MS,
  GROUP_COMMIT_MAX_ENTRIES,
  SHARD_COMMIT_PATIENCE_MS,
} from '../config/limits.ts';
import { failedFor, isConnectionFailure, isRefused, UnknownOutcomeError } from '../database/errors.ts';
import type { AuditConnections } from '../database/lanes.ts';
import { writeRequests } from './append-requests.ts';
import { AUDIT_QUEUE_LIMITS, createAuditQueue, type Group, type Pending, rejectAll } from './audit-queue.ts';
import type { AuditedRequest, Outcome } from './audited-request.ts';
import { createHeldLogs } from './held-logs.ts';
import { writeChecked, writeStale } from './write-checked.ts';
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
 * In a cluster of Citus, the workspaces of a node are a group, with a commit of its own. The groups of several nodes are
 * written at the same time, so that a node that is away delays and fails no others.
 */
export function createAuditWriter(
  lanes: AuditConnections,
  { limits = AUDIT_QUEUE_LIMITS, monitor }: AuditWriterOptions = {},
): AuditWriter {
  const queue = createAuditQueue(limits);
  monitor?.watch(queue);
  const { workspaceNodes } = lanes;
  const nodeOf = workspaceNodes.of;
  /** The groups that are written, by node. Undefined: workspaces whose nodes are looked for. */
  const writing = new Map<string | undefined, Promise<void>>();
  // Starts in a later microtask: writeGroups may end at once, and must not delete what is not set yet.
  const startGroups = (node: string | undefined): void => {
    if (!writing.has(node))
      writing.set(
        node,
        Promise.resolve().then(() => writeGroups(node)),
      );
  };
  const startWaiting = (): void => {
    for (const workspaceId of queue.waiting((id) => !held.has(id))) startGroups(nodeOf(workspaceId));
  };
  const held = createHeldLogs(lanes, nodeOf, queue, startWaiting, monitor);

  const writeGroups = async (node: string | undefined): Promise<void> => {
    // In a cluster, a group cannot ask which logs are held. After it has waited in vain, it is written without waiting.
    let waitedInVain = false;
    // A group of its own, so that the others do not wait for the checks.
    let stale: ReadonlySet<string> = new Set();
    for (;;) {
      const checked = stale;
      stale = new Set();
      const wanted = (workspaceId: string): boolean =>
        !held.has(workspaceId) &&
        nodeOf(workspaceId) === node &&
        (checked.size === 0 || checked.has(workspaceId));
      const group = queue.takeGroup(GROUP_COMMIT_MAX_ENTRIES, wanted);
      const oldest = oldestOf(group);
      if (oldest === undefined && checked.size > 0) continue;
      if (oldest === undefined) break;
      if (node === undefined) {
        await findNodes(group);
        continue;
      }
      const { workspaceId, sinceMs } = oldest;
      // In a cluster, to wait is a statement of its own, which most groups do not need.
      const isLate = performance.now() - sinceMs > SHARD_COMMIT_PATIENCE_MS;
      const waitFor = node === '' || (isLate && !waitedInVain) ? workspaceId : undefined;
      const patience = { waitFor, lockTimeoutMs: GROUP_COMMIT_LOCK_TIMEOUT_MS };
      const connections = node === '' ? lanes.trail : lanes.shards.of(node);
      try {
        const write = node !== '' ? writeChecked : checked.size > 0 ? writeStale : writeRequests;
        const written = await writeGroup(write, connections, group, patience, monitor);
        written.settle();
        queue.putBack(written.left);
        ({ stale } = written);
        if (waitedInVain) {
          held.hold(written.left.keys());
          held.write();
        }
        waitedInVain = false;
      } catch (error) {
        // A node that is away refuses nothing: it does not answer.
        const refused = isRefused(error) && !isConnectionFailure(error);
        if (refused) queue.putBack(group);
        else rejectAll(group, error);
        // One workspace may be at fault. The groups leave out all of them, and each is written alone.
        if (!refused && !(error instanceof UnknownOutcomeError)) continue;
        waitedInVain = node !== '' && failedFor(error, 'lock_not_available');
        if (waitedInVain) continue;
        workspaceNodes.forget([...group.keys()]);
        await held.add(connections, [...group.keys()], error);
        held.write();
      }
    }
    writing.delete(node);
    // A workspace may have got another node meanwhile.
    startWaiting();
  };

  /** Finds the nodes of the workspaces of a group, and starts to write their entries. */
  const findNodes = async (group: Group): Promise<void> => {
    try {
      await workspaceNodes.find(lanes.trail, [...group.keys()]);
    } catch (error) {
      rejectAll(group, error);
      return;
    }
    const lost = new Map([...group].filter(([workspaceId]) => workspaceNodes.of(workspaceId) === undefined));
    rejectAll(lost, new Error('A workspace has no node.'));
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
        else startGroups(nodeOf(request.workspaceId));
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
