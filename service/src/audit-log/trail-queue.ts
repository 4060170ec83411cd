import { BusyError } from '../database/turns.ts';
import type { Outcome, RequestRecord } from './write.ts';

/** A request that waits for its entry. */
export interface Pending {
  readonly request: RequestRecord;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/** What may wait in one process. One workspace may have half of the entries and of the bytes. */
export interface TrailLimits {
  readonly entries: number;
  readonly bytes: number;
  /** How long an entry waits for a group, in ms. */
  readonly waitMs: number;
  /** Once an entry has waited for this long, in ms, no more are taken: nothing is being written. */
  readonly stalledMs: number;
}

export const TRAIL_LIMITS: TrailLimits = {
  entries: 5_000,
  bytes: 16 * 1024 * 1024,
  waitMs: 5_000,
  stalledMs: 3_000,
};

/** Pending entries by workspace, each workspace's in their order. */
export interface TrailQueue {
  /** False: there is no room. */
  add(pending: Pending): boolean;
  /** Takes entries of all workspaces that are wanted, in the order of their ids, so that every writer locks alike. */
  takeGroup(max: number, wanted: (workspaceId: string) => boolean): ReadonlyMap<string, readonly Pending[]>;
  /** Takes entries of one wanted workspace: the one that has waited longest for its turn. */
  takeOne(max: number, wanted: (workspaceId: string) => boolean): ReadonlyMap<string, readonly Pending[]>;
  /** Puts entries that were taken before all others of their workspaces. */
  putBack(group: ReadonlyMap<string, readonly Pending[]>): void;
}

interface Waiting {
  readonly pending: Pending;
  readonly bytes: number;
  readonly sinceMs: number;
}

interface Line {
  waiting: Waiting[];
  bytes: number;
}

/** Of an entry besides its texts. */
const ENTRY_BYTES = 512;

/** About what an entry takes: it bounds memory, no more. */
function sizeOf({ request: { entry } }: Pending): number {
  let bytes = ENTRY_BYTES;
  for (const value of Object.values(entry ?? {})) {
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value === 'object' && value !== null) bytes += JSON.stringify(value).length;
  }
  return bytes;
}

export function createTrailQueue(limits: TrailLimits): TrailQueue {
  const lines = new Map<string, Line>();
  let entries = 0;
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;

  const insert = (workspaceId: string, waiting: readonly Waiting[], first: boolean): void => {
    const line = lines.get(workspaceId) ?? { waiting: [], bytes: 0 };
    line.waiting = first ? [...waiting, ...line.waiting] : line.waiting;
    if (!first) line.waiting.push(...waiting);
    lines.set(workspaceId, line);
    const more = waiting.reduce((sum, each) => sum + each.bytes, 0);
    line.bytes += more;
    bytes += more;
    entries += waiting.length;
    timer ??= setTimeout(rejectLate, limits.waitMs);
  };
  const remove = (workspaceId: string, line: Line, count: number): readonly Waiting[] => {
    const taken = line.waiting.splice(0, count);
    const less = taken.reduce((sum, each) => sum + each.bytes, 0);
    line.bytes -= less;
    bytes -= less;
    entries -= taken.length;
    if (line.waiting.length === 0) lines.delete(workspaceId);
    if (entries === 0) {
      clearTimeout(timer);
      timer = undefined;
    }
    return taken;
  };
  const rejectLate = (): void => {
    timer = undefined;
    const nowMs = performance.now();
    let oldestMs = nowMs;
    for (const [workspaceId, line] of lines) {
      const late = line.waiting.findIndex(({ sinceMs }) => sinceMs > nowMs - limits.waitMs);
      for (const { pending } of remove(workspaceId, line, late === -1 ? line.waiting.length : late)) {
        pending.reject(new BusyError(`an audit entry was not written within ${limits.waitMs} ms`));
      }
      oldestMs = Math.min(oldestMs, line.waiting[0]?.sinceMs ?? nowMs);
    }
    if (entries > 0) timer = setTimeout(rejectLate, Math.max(1, limits.waitMs - (nowMs - oldestMs)));
  };
  const take = (max: number, ids: readonly string[]): ReadonlyMap<string, readonly Pending[]> => {
    const group = new Map<string, readonly Pending[]>();
    let left = max;
    for (const [index, workspaceId] of ids.entries()) {
      const line = lines.get(workspaceId);
      if (line === undefined || left === 0) continue;
      // What one does not use of its share is for those after it.
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
      const { workspaceId } = pending.request;
      const line = lines.get(workspaceId);
      const size = sizeOf(pending);
      const nowMs = performance.now();
      if (entries >= limits.entries || bytes + size > limits.bytes) return false;
      if (line !== undefined) {
        const [oldest] = line.waiting;
        const stalled = oldest !== undefined && nowMs - oldest.sinceMs > limits.stalledMs;
        if (stalled || line.waiting.length >= limits.entries / 2 || line.bytes + size > limits.bytes / 2)
          return false;
      }
      insert(workspaceId, [{ pending, bytes: size, sinceMs: nowMs }], false);
      return true;
    },
    takeGroup: (max, wanted) => take(max, [...lines.keys()].filter(wanted).sort()),
    takeOne(max, wanted) {
      for (const workspaceId of lines.keys()) {
        if (!wanted(workspaceId)) continue;
        const group = take(max, [workspaceId]);
        const line = lines.get(workspaceId);
        // At the end of the rotation.
        if (line !== undefined && lines.delete(workspaceId)) lines.set(workspaceId, line);
        return group;
      }
      return new Map();
    },
    putBack(group) {
      const sinceMs = performance.now();
      for (const [workspaceId, pending] of group) {
        const waiting = pending.map((each) => ({ pending: each, bytes: sizeOf(each), sinceMs }));
        insert(workspaceId, waiting, true);
      }
    },
  };
}
