import type pg from 'pg';
import { inTransaction } from '../database/pool.ts';
import { GROUP_COMMIT_MAX_ENTRIES } from '../limits.ts';
import { type Outcome, type RequestRecord, writeRequests } from './write.ts';

/** The audit trail of requests. An outcome is given only when it is durable; fails closed when it can't be. */
export interface Trail {
  /** Resolves when the entry is committed; rejects when the database could not write it. */
  record(request: RequestRecord): Promise<Outcome>;
  /** Resolves when everything that was recorded so far is written or has failed. */
  drain(): Promise<void>;
}

interface Pending {
  readonly request: RequestRecord;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: while one write is under way, requests gather for the next, so many share one commit. One write at
 * a time per process, since two would wait for the same workspace's row.
 */
export function createTrail(pool: pg.Pool): Trail {
  let waiting: Pending[] = [];
  let writing: Promise<void> | undefined;

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const group = waiting.slice(0, GROUP_COMMIT_MAX_ENTRIES);
      waiting = waiting.slice(GROUP_COMMIT_MAX_ENTRIES);
      await writeGroup(pool, group);
    }
    writing = undefined;
  };

  return {
    record: (request) =>
      new Promise((resolve, reject) => {
        waiting.push({ request, resolve, reject });
        writing ??= writeAll();
      }),
    async drain() {
      await writing;
    },
  };
}

async function writeGroup(pool: pg.Pool, group: readonly Pending[]): Promise<void> {
  const byWorkspace = Object.entries(Object.groupBy(group, ({ request }) => request.workspaceId));
  // Every writer of several workspaces locks them in the same order.
  byWorkspace.sort(([a], [b]) => (a < b ? -1 : 1));
  const write = async (client: pg.Pool | pg.ClientBase): Promise<(readonly [Pending, Outcome])[]> => {
    const written: (readonly [Pending, Outcome])[] = [];
    for (const [workspaceId, pending = []] of byWorkspace) {
      const outcomes = await writeRequests(
        client,
        workspaceId,
        pending.map(({ request }) => request),
      );
      pending.forEach((one, i) => {
        const outcome = outcomes[i];
        if (outcome !== undefined) written.push([one, outcome]);
      });
    }
    return written;
  };
  try {
    // A single statement is its own transaction.
    const written = byWorkspace.length === 1 ? await write(pool) : await inTransaction(pool, write);
    for (const [pending, outcome] of written) pending.resolve(outcome);
  } catch (error) {
    for (const pending of group) pending.reject(error);
  }
}
