import { BusyError } from '@svc/turns';
import type { AuditedRequest, Outcome } from './append-requests.ts';
import { createRoom, type RoomLimits } from './room.ts';

/** A request that waits for its entry. */
export interface Pending extends AuditedRequest {
  /** When it was added (`performance.now()`). */
  readonly sinceMs: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/** Requests that wait for their entries, by workspace. */
export type Group = ReadonlyMap<string, readonly Pending[]>;

/** Resolves requests with their outcomes. Call it after the commit. */
export function settle(pending: readonly Pending[], outcomes: readonly Outcome[]): void {
  pending.forEach(({ resolve, reject }, i) => {
    const outcome = outcomes[i];
    if (outcome === undefined) reject(new Error('A request has no outcome.'));
    else resolve(outcome);
  });
}

export function rejectAll(group: Group, error: unknown): void {
  for (const pending of group.values()) for (const { reject } of pending) reject(error);
}

export interface AuditQueueLimits extends RoomLimits {
  /** How long an entry may wait to be taken, in ms. The wait of an entry that is put back continues. */
  readonly waitMs: number;
  /** If the oldest entry of a workspace has waited longer than this, in ms, the queue accepts no more of its entries. */
  readonly stalledMs: number;
}

export const AUDIT_QUEUE_LIMITS: AuditQueueLimits = {
  entries: 5_000,
  bytes: 16 * 1024 * 1024,
  waitMs: 5_000,
  stalledMs: 3_000,
};

/** Pending entries by workspace. The entries of a workspace keep their order. */
export interface AuditQueue {
  /** False: there is no room. */
  add(pending: Pending): boolean;
  /**
   * Takes at most `max` entries of the wanted workspaces, in equal shares. What a workspace does not need of its share, the
   * others get. If there are more workspaces than `max`, those that were served last wait.
   */
  takeGroup(max: number, wanted: (workspaceId: string) => boolean): Group;
  /** The wanted workspaces that have entries. A workspace whose entries were put back goes to the end. */
  waiting(wanted: (workspaceId: string) => boolean): readonly string[];
  /** Puts taken entries back, in front of the other entries of their workspaces. */
  putBack(group: Group): void;
}

interface Waiting {
  readonly pending: Pending;
  readonly bytes: number;
}

/** The memory of an entry without its texts. */
const ENTRY_BYTES = 512;

/** The approximate memory of an entry, to bound the memory of those that wait. */
export function sizeOf({ entry }: AuditedRequest): number {
  let bytes = ENTRY_BYTES;
  for (const value of Object.values(entry ?? {})) {
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value === 'object' && value !== null) bytes += JSON.stringify(value).length;
  }
  return bytes;
}

const bytesOf = (waiting: readonly Waiting[]): number => waiting.reduce((sum, { bytes }) => sum + bytes, 0);

export function createAuditQueue(limits: AuditQueueLimits): AuditQueue {
  const room = createRoom(limits);
  /** The entries of each workspace. The workspace that was served last is at the end. */
  const lines = new Map<string, Waiting[]>();
  let timer: NodeJS.Timeout | undefined;
  /** When the timer ends. */
  let dueMs = Number.POSITIVE_INFINITY;

  const stopTimer = (): void => {
    clearTimeout(timer);
    dueMs = Number.POSITIVE_INFINITY;
  };
  /** Makes sure that an entry that was added at `sinceMs` is rejected in time. */
  const setTimer = (sinceMs: number): void => {
    if (sinceMs + limits.waitMs >= dueMs) return;
    stopTimer();
    dueMs = sinceMs + limits.waitMs;
    timer = setTimeout(rejectLate, Math.max(1, dueMs - performance.now()));
  };

  const insert = (workspaceId: string, waiting: readonly Waiting[], first: boolean): void => {
    const line = lines.get(workspaceId) ?? [];
    if (first) {
      line.unshift(...waiting);
      lines.delete(workspaceId);
    } else line.push(...waiting);
    lines.set(workspaceId, line);
    room.add(workspaceId, waiting.length, bytesOf(waiting));
    const [oldest] = waiting;
    if (oldest !== undefined) setTimer(oldest.pending.sinceMs);
  };
  const remove = (workspaceId: string, line: Waiting[], count: number): readonly Waiting[] => {
    const taken = line.splice(0, count);
    room.add(workspaceId, -taken.length, -bytesOf(taken));
    if (line.length === 0) lines.delete(workspaceId);
    if (room.entries === 0) stopTimer();
    return taken;
  };
  const rejectLate = (): void => {
    stopTimer();
    const nowMs = performance.now();
    for (const [workspaceId, line] of lines) {
      const late = line.findIndex((each) => each.pending.sinceMs > nowMs - limits.waitMs);
      for (const { pending } of remove(workspaceId, line, late === -1 ? line.length : late)) {
        pending.reject(new BusyError(`an audit entry was not written within ${limits.waitMs} ms`));
      }
    }
    for (const [oldest] of lines.values()) if (oldest !== undefined) setTimer(oldest.pending.sinceMs);
  };
  const take = (max: number, wanted: (workspaceId: string) => boolean): Group => {
    const group = new Map<string, readonly Pending[]>();
    const served = [...lines].filter(([workspaceId]) => wanted(workspaceId)).slice(0, max);
    let left = max;
    // Those with few entries first: what they leave of their shares is for the others.
    for (const [index, [workspaceId, line]] of served
      .toSorted(([, a], [, b]) => a.length - b.length)
      .entries()) {
      const taken = remove(workspaceId, line, Math.ceil(left / (served.length - index)));
      left -= taken.length;
      if (lines.delete(workspaceId)) lines.set(workspaceId, line);
      group.set(
        workspaceId,
        taken.map((each) => each.pending),
      );
    }
    return group;
  };

  return {
    add(pending) {
      const { workspaceId } = pending;
      const line = lines.get(workspaceId);
      const size = sizeOf(pending);
      const oldest = line?.[0];
      const stalled = oldest !== undefined && performance.now() - oldest.pending.sinceMs > limits.stalledMs;
      if (stalled || !room.fits(workspaceId, size)) return false;
      insert(workspaceId, [{ pending, bytes: size }], false);
      return true;
    },
    takeGroup: take,
    waiting: (wanted) => [...lines.keys()].filter(wanted),
    putBack(group) {
      for (const [workspaceId, pending] of group) {
        insert(
          workspaceId,
          pending.map((each) => ({ pending: each, bytes: sizeOf(each) })),
          true,
        );
      }
    },
  };
}
