import pg from 'pg';
import type { Connections } from '../database/lane.ts';
import { commit } from '../database/pool.ts';
import {
  appendRequests,
  type Outcome,
  outcomesOf,
  type RequestRecord,
  requestsStatement,
  type WrittenRow,
} from './append-requests.ts';
import type { Pending } from './audit-queue.ts';

/** Requests that wait for their entries, by workspace. */
export type Group = ReadonlyMap<string, readonly Pending[]>;

/** Which workspace's statement failed. */
export class GroupFailure extends Error {
  readonly workspaceId: string;
  constructor(workspaceId: string, cause: pg.DatabaseError) {
    super('A group commit failed.', { cause });
    this.workspaceId = workspaceId;
  }
}

/**
 * Writes a group with one commit and settles its requests. Returns those of workspaces whose keys changed meanwhile:
 * nothing was written for them. Fails with {@link GroupFailure} when one workspace's statement fails; then nothing of the
 * group was written.
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
    const outcomes = await appendRequests(connections, workspaceId, requestsOf(pending), lockTimeoutMs).catch(
      (error: unknown) => Promise.reject(failureOf(workspaceId, error)),
    );
    settle(pending, outcomes);
    return new Map();
  }
  const again = new Map<string, readonly Pending[]>();
  const results = await writeInOneTransaction(connections, group, lockTimeoutMs);
  for (const [workspaceId, pending] of group) {
    const outcomes = outcomesOf(requestsOf(pending), results.get(workspaceId) ?? []);
    if (outcomes === undefined) again.set(workspaceId, pending);
    else settle(pending, outcomes);
  }
  return again;
}

/**
 * Sends the whole transaction at once (the connection has `pipeline`). If each statement waited for the result of the
 * one before it, each wait would take a turn of the event loop: under load, that is the time of many requests.
 */
async function writeInOneTransaction(
  connections: Connections,
  group: Group,
  lockTimeoutMs: number,
): Promise<ReadonlyMap<string, readonly WrittenRow[]>> {
  const workspaceIds = [...group.keys()];
  const statements = [...group].map(([workspaceId, pending]) =>
    requestsStatement(workspaceId, requestsOf(pending), lockTimeoutMs),
  );
  const client = await connections.connect();
  const begun = client.query('begin');
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
    // Those after the first failure fail because of it.
    else failure ??= failureOf(workspaceId, result?.reason);
  }
  for (const result of [beginning, ending]) if (result.status === 'rejected') failure ??= result.reason;
  if (failure === undefined) {
    client.release();
    return rows;
  }
  // After a statement has failed, the commit rolls back: the connection is as good as before.
  client.release(!(failure instanceof GroupFailure));
  throw failure;
}

/** Only what the database refused can be due to one workspace. */
const failureOf = (workspaceId: string, error: unknown): unknown =>
  error instanceof pg.DatabaseError && error.severity !== 'FATAL'
    ? new GroupFailure(workspaceId, error)
    : error;

export const requestsOf = (pending: readonly Pending[]): readonly RequestRecord[] =>
  pending.map(({ request }) => request);

/** Gives the requests their outcomes. To be called when they are committed. */
export function settle(pending: readonly Pending[], outcomes: readonly Outcome[]): void {
  pending.forEach(({ resolve, reject }, i) => {
    const outcome = outcomes[i];
    if (outcome === undefined) reject(new Error('A request has no outcome.'));
    else resolve(outcome);
  });
}
