import { setTimeout as sleep } from 'node:timers/promises';
import {
  GROUP_COMMIT_LOCK_TIMEOUT_MS,
  GROUP_COMMIT_MAX_ENTRIES,
  HELD_LOG_LOCK_TIMEOUT_MS,
  HELD_LOG_PAUSE_MS,
} from '../config/limits.ts';
import { failedFor } from '../database/errors.ts';
import type { Lanes } from '../database/lanes.ts';
import { inTransaction } from '../database/pool.ts';
import { BusyError } from '../database/turns.ts';
import { appendRequests, type Outcome, type RequestRecord } from './append-requests.ts';
import { AUDIT_QUEUE_LIMITS, type AuditQueueLimits, createAuditQueue } from './audit-queue.ts';
import { type Group, GroupFailure, requestsOf, settle, writeGroup } from './group.ts';
import { heldLogs, lockOneLog } from './held-logs.ts';

/** The audit trail of requests. An outcome is given only when it is durable; fails closed when it can't be. */
export interface AuditWriter {
  /**
   * Resolves when the entry is committed; rejects when the database could not write it, or when too many entries wait
   * or this one has waited too long (BusyError).
   */
  append(request: RequestRecord): Promise<Outcome>;
  /** Resolves when everything that was recorded so far is written or has failed. */
  drain(): Promise<void>;
}

/** Workspaces that are remembered as held. */
const HELD_MAX = 10_000;
/** All held logs share one owner's turn among the writes. */
const HELD_LOGS = 'held logs';

/**
 * Group commit: while one write is under way, requests gather for the next, so many share one commit. A workspace whose
 * log is held, or refuses an entry, is taken out of the groups until its entries can be written by themselves.
 *
 * Held workspaces take turns, each with its own transaction: first those whose log is free now, which one statement finds
 * without waiting, however many are held. If none is free, one of them waits in the queue of its lock for a short time, so
 * that a log that others write all the time is reached too. A workspace whose log becomes free thus waits a fraction of a
 * second, not for the locks of others. All of them together have one turn among the writes, and pause after an attempt
 * that wrote nothing: with a turn each, three held workspaces would stop the writes of all others.
 */
export function createAuditWriter(
  { trail, writes }: Pick<Lanes, 'trail' | 'writes'>,
  limits: AuditQueueLimits = AUDIT_QUEUE_LIMITS,
): AuditWriter {
  const queue = createAuditQueue(limits);
  const held = new Set<string>();
  let writing: Promise<void> | undefined;
  let writingAlone: Promise<void> | undefined;

  const writeGroups = async (): Promise<void> => {
    for (;;) {
      const group = queue.takeGroup(GROUP_COMMIT_MAX_ENTRIES, (workspaceId) => !held.has(workspaceId));
      if (group.size === 0) break;
      try {
        queue.putBack(await writeGroup(trail, group, GROUP_COMMIT_LOCK_TIMEOUT_MS));
      } catch (error) {
        if (error instanceof GroupFailure) {
          queue.putBack(group);
          await hold(error, group);
          startAlone();
        } else rejectAll(group, error);
      }
    }
    writing = undefined;
  };

  /** Takes a workspace out of the groups, and with it all of the group whose log is held: each would delay another group. */
  const hold = async ({ workspaceId, cause }: GroupFailure, group: Group): Promise<void> => {
    // Those that are still held are found again.
    if (held.size >= HELD_MAX) held.clear();
    held.add(workspaceId);
    if (group.size === 1 || !failedFor(cause, 'lock_not_available')) return;
    // If this fails, so does the next group, which tells those that wait.
    for (const each of await heldLogs(trail, [...group.keys()]).catch(() => [])) held.add(each);
  };

  const writeHeld = async (): Promise<void> => {
    for (let round = 0; ; round++) {
      const waiting = queue.waiting((workspaceId) => held.has(workspaceId));
      if (waiting.length === 0) break;
      if (!(await writeOneHeld(waiting, waiting[round % waiting.length] ?? '')))
        await sleep(HELD_LOG_PAUSE_MS);
    }
    writingAlone = undefined;
  };

  /** Writes the first of these workspaces whose log is free, or `patient`. False: no lock or turn came soon enough. */
  const writeOneHeld = async (workspaceIds: readonly string[], patient: string): Promise<boolean> => {
    let taken: Group = new Map();
    try {
      const written = await inTransaction(writes.of(HELD_LOGS), async (client) => {
        const free = await lockOneLog(client, workspaceIds, patient);
        taken = queue.takeGroup(GROUP_COMMIT_MAX_ENTRIES, (workspaceId) => workspaceId === free);
        const pending = taken.get(free);
        // They may have waited for too long meanwhile.
        const outcomes =
          pending && (await appendRequests(client, free, requestsOf(pending), HELD_LOG_LOCK_TIMEOUT_MS));
        return () => {
          held.delete(free);
          if (pending && outcomes) settle(pending, outcomes);
        };
      });
      written();
      startGroups();
      return true;
    } catch (error) {
      if (failedFor(error, 'lock_not_available') || error instanceof BusyError) {
        queue.putBack(taken);
        return false;
      }
      // When nothing was taken, none of them can be written.
      if (taken.size === 0) taken = queue.takeGroup(Number.POSITIVE_INFINITY, (id) => held.has(id));
      rejectAll(taken, error);
      return true;
    }
  };

  // Not before the promise is kept: a write that has nothing to do ends at once.
  const startGroups = (): void => {
    writing ??= Promise.resolve().then(writeGroups);
  };
  const startAlone = (): void => {
    if (held.size > 0) writingAlone ??= Promise.resolve().then(writeHeld);
  };

  return {
    append: (request) =>
      new Promise((resolve, reject) => {
        if (!queue.add({ request, sinceMs: performance.now(), resolve, reject })) {
          reject(new BusyError('too many audit entries wait to be written'));
          return;
        }
        if (held.has(request.workspaceId)) startAlone();
        else startGroups();
      }),
    async drain() {
      while (writing !== undefined || writingAlone !== undefined) await Promise.all([writing, writingAlone]);
    },
  };
}

function rejectAll(group: Group, error: unknown): void {
  for (const pending of group.values()) for (const { reject } of pending) reject(error);
}
