/** Says that too much waits already, or that a turn did not come in time. The caller may try again later. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

export interface TurnLimits {
  /** Turns at once. */
  readonly total: number;
  /** Turns that one owner has at once. */
  readonly perOwner: number;
  /** How long a caller waits for its turn. */
  readonly waitMs: number;
  /**
   * Callers that wait, of all owners. One owner may have half of them. When all places are taken, a caller of an owner
   * with fewer takes the place of the newest caller of the owner with the most.
   */
  readonly waitingMax: number;
}

/**
 * A bounded number of turns, shared fairly: owners that wait are served in rotation, so one with many callers delays
 * another one by a turn, not by its queue. The limit per owner leaves turns to others even when those of one owner
 * never end.
 */
export interface Turns {
  /**
   * Takes a turn. Undefined: at once. A promise: when it comes; rejects with {@link BusyError}. Waits for `waitMs`;
   * default: that of the limits.
   */
  take(owner: string, waitMs?: number): Promise<void> | undefined;
  /** Gives a turn back. */
  leave(owner: string): void;
  /** Callers that wait now. */
  readonly waiting: number;
}

const tooMany = (): BusyError => new BusyError('too many callers wait for a turn');

interface Caller {
  readonly start: () => void;
  readonly refuse: () => void;
}

export function createTurns({ total, perOwner, waitingMax, ...limits }: TurnLimits): Turns {
  const running = new Map<string, number>();
  /** The owner whose caller started last is at the end. */
  const lines = new Map<string, Set<Caller>>();
  const perLineMax = Math.max(1, Math.floor(waitingMax / 2));
  let count = 0;
  let waiting = 0;

  const tryTake = (owner: string): boolean => {
    const own = running.get(owner) ?? 0;
    if (count >= total || own >= perOwner) return false;
    count += 1;
    running.set(owner, own + 1);
    return true;
  };
  const remove = (owner: string, line: Set<Caller>, caller: Caller): void => {
    waiting -= 1;
    line.delete(caller);
    if (line.size === 0) lines.delete(owner);
  };
  /** At most `total` owners are passed over: those that have as many turns as they may. */
  const startNext = (): void => {
    for (const [owner, line] of lines) {
      const [first] = line;
      if (first === undefined || !tryTake(owner)) continue;
      remove(owner, line, first);
      if (lines.delete(owner)) lines.set(owner, line);
      first.start();
      return;
    }
  };
  /** Refuses the newest caller of the longest line, if that one stays as long as a line that grows to `size`. */
  const makeRoom = (size: number): boolean => {
    let longest: readonly [owner: string, line: Set<Caller>] | undefined;
    for (const entry of lines) if (entry[1].size > (longest?.[1].size ?? size)) longest = entry;
    if (longest === undefined) return false;
    const newest = [...longest[1]].at(-1);
    if (newest === undefined) return false;
    remove(...longest, newest);
    newest.refuse();
    return true;
  };
  const wait = (owner: string, waitMs: number): Promise<void> => {
    const line = lines.get(owner) ?? new Set<Caller>();
    if (line.size >= perLineMax || (waiting >= waitingMax && !makeRoom(line.size + 1))) {
      return Promise.reject(tooMany());
    }
    return new Promise((resolve, reject) => {
      const caller: Caller = {
        start: () => {
          clearTimeout(deadline);
          resolve();
        },
        refuse: () => {
          clearTimeout(deadline);
          reject(tooMany());
        },
      };
      const deadline = setTimeout(() => {
        remove(owner, line, caller);
        reject(new BusyError(`no turn within ${waitMs} ms`));
      }, waitMs);
      line.add(caller);
      lines.set(owner, line);
      waiting += 1;
    });
  };

  return {
    take: (owner, waitMs = limits.waitMs) => (tryTake(owner) ? undefined : wait(owner, waitMs)),
    leave(owner) {
      count -= 1;
      const own = (running.get(owner) ?? 1) - 1;
      if (own === 0) running.delete(owner);
      else running.set(owner, own);
      if (waiting > 0) startNext();
    },
    get waiting() {
      return waiting;
    },
  };
}
