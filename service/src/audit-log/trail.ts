import pg from 'pg';
import { inTransaction } from '../database/pool.ts';
import { GROUP_COMMIT_LOCK_TIMEOUT_MS, GROUP_COMMIT_MAX_ENTRIES, LOCK_TIMEOUT_MS } from '../limits.ts';
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

/** Workspaces that may be written by themselves at once; each takes a connection for as long as it waits. */
const ALONE_MAX = 2;

/**
 * Group commit: while one write is under way, requests gather for the next, so many share one commit. A group that
 * cannot be written at once is written again workspace by workspace, so that one whose log is held or refuses an entry
 * neither delays nor fails the others.
 */
export function createTrail(pool: pg.Pool): Trail {
  let waiting: Pending[] = [];
  let writing: Promise<void> | undefined;
  /** Workspaces that are written by themselves: their requests wait for that. */
  const alone = new Map<string, Promise<void>>();

  const next = (): readonly Pending[] => {
    const group: Pending[] = [];
    waiting = waiting.filter((pending) => {
      if (group.length >= GROUP_COMMIT_MAX_ENTRIES || alone.has(pending.request.workspaceId)) return true;
      group.push(pending);
      return false;
    });
    return group;
  };

  const writeAll = async (): Promise<void> => {
    for (let group = next(); group.length > 0; group = next()) {
      try {
        await writeGroup(pool, group);
      } catch (error) {
        // Only what the database refused can be due to one of them.
        if (!(error instanceof pg.DatabaseError) || error.severity === 'FATAL') {
          for (const { reject } of group) reject(error);
          continue;
        }
        for (const [workspaceId, pending = []] of byWorkspace(group)) {
          while (alone.size >= ALONE_MAX) await Promise.race(alone.values());
          writeAlone(workspaceId, pending);
        }
      }
    }
    writing = undefined;
  };

  // Not before the promise is kept: a write that has nothing to do ends at once.
  const start = (): void => {
    writing ??= Promise.resolve().then(writeAll);
  };

  const writeAlone = (workspaceId: string, pending: readonly Pending[]): void => {
    const written = inTransaction(pool, (client) => settleWith(client, workspaceId, pending, LOCK_TIMEOUT_MS))
      .then((settle) => settle())
      .catch((error: unknown) => {
        for (const { reject } of pending) reject(error);
      })
      .finally(() => {
        alone.delete(workspaceId);
        start();
      });
    alone.set(workspaceId, written);
  };

  return {
    record: (request) =>
      new Promise((resolve, reject) => {
        waiting.push({ request, resolve, reject });
        start();
      }),
    async drain() {
      while (writing !== undefined || alone.size > 0) await Promise.all([writing, ...alone.values()]);
    },
  };
}

/** Every writer of several workspaces locks them in the same order. */
const byWorkspace = (group: readonly Pending[]) =>
  Object.entries(Object.groupBy(group, ({ request }) => request.workspaceId)).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );

async function writeGroup(pool: pg.Pool, group: readonly Pending[]): Promise<void> {
  const workspaces = byWorkspace(group);
  const write = async (client: pg.Pool | pg.ClientBase): Promise<readonly (() => void)[]> => {
    const settles: (() => void)[] = [];
    for (const [workspaceId, pending = []] of workspaces) {
      settles.push(await settleWith(client, workspaceId, pending, GROUP_COMMIT_LOCK_TIMEOUT_MS));
    }
    return settles;
  };
  // A single statement is its own transaction.
  const settles = workspaces.length === 1 ? await write(pool) : await inTransaction(pool, write);
  for (const settle of settles) settle();
}

/** Writes a workspace's requests; what is returned tells them, and is called when it is committed. */
async function settleWith(
  client: pg.Pool | pg.ClientBase,
  workspaceId: string,
  pending: readonly Pending[],
  lockTimeoutMs: number,
): Promise<() => void> {
  const outcomes = await writeRequests(
    client,
    workspaceId,
    pending.map(({ request }) => request),
    lockTimeoutMs,
  );
  return () => {
    pending.forEach(({ resolve, reject }, i) => {
      const outcome = outcomes[i];
      if (outcome === undefined) reject(new Error('A request has no outcome.'));
      else resolve(outcome);
    });
  };
}
