import type { FairQueueLimits } from '@svc/fair-queue';
import type { CommitMonitor } from '@svc/telemetry/commits';
import { BusyError } from '@svc/turns';
import { GROUP_COMMIT_LOCK_TIMEOUT_MS, GROUP_COMMIT_MAX_ENTRIES } from '../config/limits.ts';
import { isRefused } from '../database/errors.ts';
import type { Trail } from '../database/lanes.ts';
import type { AuditedRequest, Outcome } from './append-requests.ts';
import { AUDIT_QUEUE_LIMITS, createAuditQueue, type Group, type Pending, rejectAll } from './audit-queue.ts';
import { createHeldLogs } from './held-logs.ts';
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
 */
export function createAuditWriter(
  lanes: Trail,
  { limits = AUDIT_QUEUE_LIMITS, monitor }: AuditWriterOptions = {},
): AuditWriter {
  const queue = createAuditQueue(limits);
  monitor?.watch(queue);
  let writing: Promise<void> | undefined;
  // Starts in a later microtask: writeGroups may end at once, and must not clear `writing` before it is set.
  const startGroups = (): void => {
    writing ??= Promise.resolve().then(writeGroups);
  };
  const held = createHeldLogs(lanes, queue, startGroups, monitor);

  const writeGroups = async (): Promise<void> => {
    for (;;) {
      const group = queue.takeGroup(GROUP_COMMIT_MAX_ENTRIES, (workspaceId) => !held.has(workspaceId));
      const oldest = oldestOf(group);
      if (oldest === undefined) break;
      try {
        const patience = { waitFor: oldest, lockTimeoutMs: GROUP_COMMIT_LOCK_TIMEOUT_MS };
        const written = await writeGroup(lanes.trail, group, patience, monitor);
        written.settle();
        queue.putBack(written.left);
      } catch (error) {
        if (!isRefused(error)) rejectAll(group, error);
        else {
          queue.putBack(group);
          await held.add([...group.keys()], error);
          held.write();
        }
      }
    }
    writing = undefined;
  };

  return {
    append: (request) =>
      new Promise((resolve, reject) => {
        if (!queue.add({ ...request, sinceMs: performance.now(), resolve, reject })) {
          reject(new BusyError('too many audit entries wait to be written'));
          return;
        }
        if (held.has(request.workspaceId)) held.write();
        else startGroups();
      }),
    async drain() {
      while (writing !== undefined || held.writing !== undefined) await Promise.all([writing, held.writing]);
    },
  };
}

/** The workspace with the entry that has waited the longest. Undefined: the group is empty. */
function oldestOf(group: Group): string | undefined {
  let oldest: Pending | undefined;
  for (const [pending] of group.values())
    if (pending !== undefined && pending.sinceMs < (oldest?.sinceMs ?? Number.POSITIVE_INFINITY))
      oldest = pending;
  return oldest?.workspaceId;
}
