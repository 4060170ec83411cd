import pg from 'pg';
import { GROUP_COMMIT_LOCK_TIMEOUT_MS, GROUP_COMMIT_MAX_ENTRIES } from '../config/limits.ts';
import type { Connections } from '../database/lane.ts';
import type { Lanes } from '../database/lanes.ts';
import { begin, commit } from '../database/pool.ts';
import { BusyError } from '../database/turns.ts';
import {
  type AuditedRequest,
  appendRequests,
  type Outcome,
  outcomesOf,
  requestsStatement,
  type WrittenRow,
} from './append-requests.ts';
import {
  AUDIT_QUEUE_LIMITS,
  type AuditQueueLimits,
  createAuditQueue,
  type Group,
  type Pending,
  rejectAll,
  settle,
} from './audit-queue.ts';
import { createHeldLogs } from './held-logs.ts';

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

/**
 * Group commit: while one group is written, requests gather for the next one, so that many share one commit. A workspace
 * whose log is held by another transaction, or refuses an entry, is left out of the groups until held-logs.ts has written
 * its entries.
 */
export function createAuditWriter(
  lanes: Pick<Lanes, 'trail' | 'writes'>,
  limits: AuditQueueLimits = AUDIT_QUEUE_LIMITS,
): AuditWriter {
  const queue = createAuditQueue(limits);
  let writing: Promise<void> | undefined;
  // Starts in a later microtask: writeGroups may end at once, and must not clear `writing` before it is set.
  const startGroups = (): void => {
    writing ??= Promise.resolve().then(writeGroups);
  };
  const held = createHeldLogs(lanes, queue, startGroups);

  const writeGroups = async (): Promise<void> => {
    for (;;) {
      const group = queue.takeGroup(
        GROUP_COMMIT_MAX_ENTRIES,
        (workspaceId) => !held.workspaces.has(workspaceId),
      );
      if (group.size === 0) break;
      try {
        queue.putBack(await writeGroup(lanes.trail, group, GROUP_COMMIT_LOCK_TIMEOUT_MS));
      } catch (error) {
        if (error instanceof GroupFailure) {
          queue.putBack(group);
          await held.add(error.workspaceId, error.cause, group);
          held.write();
        } else rejectAll(group, error);
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
        if (held.workspaces.has(request.workspaceId)) held.write();
        else startGroups();
      }),
    async drain() {
      while (writing !== undefined || held.writing !== undefined) await Promise.all([writing, held.writing]);
    },
  };
}

/** The failure of the statement of one workspace. */
export class GroupFailure extends Error {
  readonly workspaceId: string;
  constructor(workspaceId: string, cause: pg.DatabaseError) {
    super('A group commit failed.', { cause });
    this.workspaceId = workspaceId;
  }
}

/**
 * Writes a group with one commit and settles its requests. Returns the requests of workspaces whose keys changed meanwhile;
 * nothing is written for them. Throws GroupFailure if the statement of a workspace fails; then nothing of the group is
 * written.
 */
export async function writeGroup(
  connections: Connections,
  group: Group,
  lockTimeoutMs: number,
): Promise<Group> {
  const [only] = group;
  if (only !== undefined && group.size === 1) {
    const [workspaceId, pending] = only;
    // A single statement is its own transaction.
    const outcomes = await appendRequests(connections, workspaceId, pending, lockTimeoutMs).catch(
      (error: unknown) => Promise.reject(failureOf(workspaceId, error)),
    );
    settle(pending, outcomes);
    return new Map();
  }
  const again = new Map<string, readonly Pending[]>();
  const results = await writeInOneTransaction(connections, group, lockTimeoutMs);
  for (const [workspaceId, pending] of group) {
    const outcomes = outcomesOf(pending, results.get(workspaceId) ?? []);
    if (outcomes === undefined) again.set(workspaceId, pending);
    else settle(pending, outcomes);
  }
  return again;
}

/**
 * Sends the whole transaction at once (the connection has `pipeline`). If each statement waited for the result of the
 * statement before it, each wait would take a turn of the event loop. Under load, a turn is the time of many requests.
 */
async function writeInOneTransaction(
  connections: Connections,
  group: Group,
  lockTimeoutMs: number,
): Promise<ReadonlyMap<string, readonly WrittenRow[]>> {
  const workspaceIds = [...group.keys()];
  const statements = [...group].map(([workspaceId, pending]) =>
    requestsStatement(workspaceId, pending, lockTimeoutMs),
  );
  const client = await connections.connect();
  const begun = client.query(begin());
  const written = statements.map((statement) => client.query<WrittenRow>(statement));
  const committed = commit(client);
  const [results, [beginning, ending]] = await Promise.all([
    Promise.allSettled(written),
    Promise.allSettled([begun, committed]),
  ]);
  const rows = new Map<string, readonly WrittenRow[]>();
  let failure: unknown;
  for (const [i, workspaceId] of workspaceIds.entries()) {
    const result = results[i];
    if (result?.status === 'fulfilled') rows.set(workspaceId, result.value.rows);
    // The statements after the first failure fail because of it.
    else failure ??= failureOf(workspaceId, result?.reason);
  }
  for (const result of [beginning, ending]) if (result.status === 'rejected') failure ??= result.reason;
  if (failure === undefined) {
    client.release();
    return rows;
  }
  // After a failed statement, the commit rolls back, so the connection can be used again.
  client.release(!(failure instanceof GroupFailure));
  throw failure;
}

/** Only an error of the database can be due to one workspace. */
const failureOf = (workspaceId: string, error: unknown): unknown =>
  error instanceof pg.DatabaseError && error.severity !== 'FATAL'
    ? new GroupFailure(workspaceId, error)
    : error;
