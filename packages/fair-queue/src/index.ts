import { createRoom, type RoomLimits } from './room.ts';

export { createRoom, type RoomLimits } from './room.ts';

export interface FairQueueLimits extends RoomLimits {
  /** How long an entry may wait to be taken, in ms. The wait of an entry that is put back continues. */
  readonly waitMs: number;
  /** If the oldest entry of an owner has waited longer than this, in ms, the queue accepts no more of its entries. */
  readonly stalledMs: number;
}

/** What the queue must know of its entries. */
export interface FairQueueEntries<Entry> {
  ownerOf(entry: Entry): string;
  /** The approximate memory of an entry, to bound the memory of those that wait. */
  bytesOf(entry: Entry): number;
  /** When the entry was added (`performance.now()`). */
  addedAt(entry: Entry): number;
  /** Is called with each entry that the queue removes because nobody took it in time. */
  onLate(entry: Entry): void;
}

/** Entries that wait, by owner. The entries of an owner keep their order. */
export interface FairQueue<Entry> {
  /** False: there is no room. */
  add(entry: Entry): boolean;
  /**
   * Takes at most `max` entries of the wanted owners, in equal shares. What an owner does not need of its share, the others
   * get. If there are more owners than `max`, those that were served last wait.
   */
  takeGroup(max: number, wanted: (owner: string) => boolean): Map<string, readonly Entry[]>;
  /** The wanted owners that have entries. An owner whose entries were put back goes to the end. */
  waiting(wanted: (owner: string) => boolean): readonly string[];
  /** Puts taken entries back, in front of the other entries of their owners. */
  putBack(group: ReadonlyMap<string, readonly Entry[]>): void;
  /** How many entries wait. */
  readonly entries: number;
  /** How long the oldest of them has waited, in ms. 0: none waits. */
  readonly oldestMs: number;
}

interface Waiting<Entry> {
  readonly entry: Entry;
  readonly bytes: number;
}

const sumOf = (waiting: readonly Waiting<unknown>[]): number =>
  waiting.reduce((sum, { bytes }) => sum + bytes, 0);

export function createFairQueue<Entry>(
  limits: FairQueueLimits,
  { ownerOf, bytesOf, addedAt, onLate }: FairQueueEntries<Entry>,
): FairQueue<Entry> {
  const room = createRoom(limits);
  /** The entries of each owner. The owner that was served last is at the end. */
  const lines = new Map<string, Waiting<Entry>[]>();
  let timer: NodeJS.Timeout | undefined;
  /** When the timer ends. */
  let dueMs = Number.POSITIVE_INFINITY;

  const stopTimer = (): void => {
    clearTimeout(timer);
    dueMs = Number.POSITIVE_INFINITY;
  };
  /** Makes sure that an entry that was added at `sinceMs` is removed in time. */
  const setTimer = (sinceMs: number): void => {
    if (sinceMs + limits.waitMs >= dueMs) return;
    stopTimer();
    dueMs = sinceMs + limits.waitMs;
    timer = setTimeout(removeLate, Math.max(1, dueMs - performance.now()));
  };

  const insert = (owner: string, waiting: readonly Waiting<Entry>[], first: boolean): void => {
    const line = lines.get(owner) ?? [];
    if (first) {
      line.unshift(...waiting);
      lines.delete(owner);
    } else line.push(...waiting);
    lines.set(owner, line);
    room.add(owner, waiting.length, sumOf(waiting));
    const [oldest] = waiting;
    if (oldest !== undefined) setTimer(addedAt(oldest.entry));
  };
  const remove = (owner: string, line: Waiting<Entry>[], count: number): readonly Entry[] => {
    const taken = line.splice(0, count);
    room.add(owner, -taken.length, -sumOf(taken));
    if (line.length === 0) lines.delete(owner);
    if (room.entries === 0) stopTimer();
    return taken.map(({ entry }) => entry);
  };
  const removeLate = (): void => {
    stopTimer();
    const nowMs = performance.now();
    for (const [owner, line] of lines) {
      const inTime = line.findIndex(({ entry }) => addedAt(entry) > nowMs - limits.waitMs);
      for (const entry of remove(owner, line, inTime === -1 ? line.length : inTime)) onLate(entry);
    }
    for (const [oldest] of lines.values()) if (oldest !== undefined) setTimer(addedAt(oldest.entry));
  };

  return {
    add(entry) {
      const owner = ownerOf(entry);
      const bytes = bytesOf(entry);
      const oldest = lines.get(owner)?.[0];
      const stalled = oldest !== undefined && performance.now() - addedAt(oldest.entry) > limits.stalledMs;
      if (stalled || !room.fits(owner, bytes)) return false;
      insert(owner, [{ entry, bytes }], false);
      return true;
    },
    takeGroup(max, wanted) {
      const group = new Map<string, readonly Entry[]>();
      const served = [...lines].filter(([owner]) => wanted(owner)).slice(0, max);
      let left = max;
      // Those with few entries first: what they leave of their shares is for the others.
      const shortestFirst = served.toSorted(([, a], [, b]) => a.length - b.length);
      for (const [index, [owner, line]] of shortestFirst.entries()) {
        const taken = remove(owner, line, Math.ceil(left / (served.length - index)));
        left -= taken.length;
        if (lines.delete(owner)) lines.set(owner, line);
        group.set(owner, taken);
      }
      return group;
    },
    waiting: (wanted) => [...lines.keys()].filter(wanted),
    get entries() {
      return room.entries;
    },
    get oldestMs() {
      const nowMs = performance.now();
      return Math.max(
        0,
        ...[...lines.values()].map(([oldest]) => (oldest ? nowMs - addedAt(oldest.entry) : 0)),
      );
    },
    putBack(group) {
      for (const [owner, entries] of group) {
        const waiting = entries.map((entry) => ({ entry, bytes: bytesOf(entry) }));
        insert(owner, waiting, true);
      }
    },
  };
}
