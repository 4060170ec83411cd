import { BusyError } from '@svc/turns';
import type { AuditedRequest, Outcome } from './append-requests.ts';

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

/** The limits of the entries that wait in one process. One workspace may have half of the entries and of the bytes. */
export interface AuditQueueLimits {
  readonly entries: number;
  readonly bytes: number;
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
  /** Takes entries of all wanted workspaces, sorted by workspace id. */
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

/** The entries of one workspace. */
interface Line {
  waiting: Waiting[];
  bytes: number;
}

/** The memory of an entry without its texts. */
const ENTRY_BYTES = 512;

/** The approximate memory of an entry. It only bounds the memory of the queue. */
function sizeOf({ entry }: Pending): number {
  let bytes = ENTRY_BYTES;
  for (const value of Object.values(entry ?? {})) {
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value === 'object' && value !== null) bytes += JSON.stringify(value).length;
  }
  return bytes;
}

export function createAuditQueue(limits: AuditQueueLimits): AuditQueue {
  const lines = new Map<string, Line>();
  let entries = 0;
  let bytes = 0;
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
    const line = lines.get(workspaceId) ?? { waiting: [], bytes: 0 };
    if (first) {
      line.waiting = [...waiting, ...line.waiting];
      lines.delete(workspaceId);
    } else line.waiting.push(...waiting);
    lines.set(workspaceId, line);
    const more = waiting.reduce((sum, each) => sum + each.bytes, 0);
    line.bytes += more;
    bytes += more;
    entries += waiting.length;
    const [oldest] = waiting;
    if (oldest !== undefined) setTimer(oldest.pending.sinceMs);
  };
  const remove = (workspaceId: string, line: Line, count: number): readonly Waiting[] => {
    const taken = line.waiting.splice(0, count);
    const less = taken.reduce((sum, each) => sum + each.bytes, 0);
    line.bytes -= less;
    bytes -= less;
    entries -= taken.length;
    if (line.waiting.length === 0) lines.delete(workspaceId);
    if (entries === 0) stopTimer();
    return taken;
  };
  const rejectLate = (): void => {
    stopTimer();
    const nowMs = performance.now();
    for (const [workspaceId, line] of lines) {
      const late = line.waiting.findIndex((each) => each.pending.sinceMs > nowMs - limits.waitMs);
      for (const { pending } of remove(workspaceId, line, late === -1 ? line.waiting.length : late)) {
        pending.reject(new BusyError(`an audit entry was not written within ${limits.waitMs} ms`));
      }
    }
    for (const { waiting } of lines.values()) {
      if (waiting[0] !== undefined) setTimer(waiting[0].pending.sinceMs);
    }
  };
  const take = (max: number, ids: readonly string[]): Group => {
    const group = new Map<string, readonly Pending[]>();
    let left = max;
    for (const [index, workspaceId] of ids.entries()) {
      const line = lines.get(workspaceId);
      if (line === undefined || left === 0) continue;
      // If a workspace does not use its whole share, the next ones get the rest.
      const taken = remove(workspaceId, line, Math.max(1, Math.ceil(left / (ids.length - index))));
      left -= taken.length;
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
      if (entries >= limits.entries || bytes + size > limits.bytes) return false;
      if (line !== undefined) {
        const [oldest] = line.waiting;
        const stalled = oldest !== undefined && performance.now() - oldest.pending.sinceMs > limits.stalledMs;
        if (stalled || line.waiting.length >= limits.entries / 2 || line.bytes + size > limits.bytes / 2)
          return false;
      }
      insert(workspaceId, [{ pending, bytes: size }], false);
      return true;
    },
    takeGroup: (max, wanted) => take(max, [...lines.keys()].filter(wanted).sort()),
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
