import { unavailable } from '../http/errors.ts';
import { WRITE_TURN_TIMEOUT_MS } from '../limits.ts';

/**
 * Lets a bounded number of writes run at once, in all and per workspace. Writes wait for their workspace's clock inside
 * a database connection: without a bound, a workspace whose clock is held would take the connections of all others.
 * Whoever has waited too long for a turn is refused (503): behind writes that each wait for a held clock it would never end.
 */
export interface WriteGate {
  run<T>(workspaceId: string, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly workspaceId: string;
  readonly start: () => void;
}

/** Connections of a pool that writes leave to reads and to the audit trail. */
const LEFT_TO_OTHERS = 2;

/** `turnTimeoutMs`: how long a write waits for its turn at most. */
export function createWriteGate(connections: number, turnTimeoutMs = WRITE_TURN_TIMEOUT_MS): WriteGate {
  const total = Math.max(1, connections - LEFT_TO_OTHERS);
  const perWorkspace = Math.max(1, total - 1);
  const running = new Map<string, number>();
  const waiting: Waiting[] = [];
  let count = 0;

  const take = (workspaceId: string): boolean => {
    const own = running.get(workspaceId) ?? 0;
    if (count >= total || own >= perWorkspace) return false;
    count += 1;
    running.set(workspaceId, own + 1);
    return true;
  };
  const leave = (workspaceId: string): void => {
    count -= 1;
    const own = (running.get(workspaceId) ?? 1) - 1;
    if (own === 0) running.delete(workspaceId);
    else running.set(workspaceId, own);
    const next = waiting.findIndex((one) => take(one.workspaceId));
    if (next >= 0) waiting.splice(next, 1)[0]?.start();
  };

  const turnOf = (workspaceId: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const turn: Waiting = {
        workspaceId,
        start: () => {
          clearTimeout(deadline);
          resolve();
        },
      };
      const deadline = setTimeout(() => {
        waiting.splice(waiting.indexOf(turn), 1);
        reject(unavailable());
      }, turnTimeoutMs);
      waiting.push(turn);
    });

  return {
    async run(workspaceId, work) {
      if (!take(workspaceId)) await turnOf(workspaceId);
      try {
        return await work();
      } finally {
        leave(workspaceId);
      }
    },
  };
}
