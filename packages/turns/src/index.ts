/** Too many callers already wait, or no turn was free in time. The caller may try again later. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

export interface TurnLimits {
  /** The most turns at the same time. */
  readonly total: number;
  /** The most turns of one owner at the same time. */
  readonly perOwner: number;
  /** How long a caller waits for its turn. */
  readonly waitMs: number;
  /**
   * The most callers that wait, of all owners. One owner may have half of them. When all places are taken, a caller of an
   * owner with fewer callers replaces the newest caller of the owner with the most.
   */
  readonly waitingMax: number;
}

/**
 * A limited number of turns, shared fairly. Owners that wait get turns in rotation, so an owner with many callers delays
 * another owner by one turn, not by its whole queue. With the limit per owner, others get turns even if the turns of one
 * owner never end.
 */
export interface Turns {
  /**
   * Takes a turn. Returns undefined if a turn is free. Otherwise returns a promise that resolves when the caller has its
   * turn, or rejects with {@link BusyError} after `waitMs`. Default of `waitMs`: that of the limits.
   */
  take(owner: string, waitMs?: number): Promise<void> | undefined;
  /** Returns a turn. */
  leave(owner: string): void;
  /** How many callers wait now. */
  readonly waiting: number;
}

const tooMany = (): BusyError => new BusyError('too many callers wait for a turn');

interface Caller {
  readonly start: () => void;
  readonly refuse: () => void;
}

export function createTurns({ total, perOwner, waitingMax, ...limits }: TurnLimits): Turns {
  const running = new Map<string, number>();
  /** The waiting callers of each owner. The owner whose caller started last is at the end. */
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
  /** Gives a free turn to the next owner. Skips owners that have all of their turns, which are at most `total`. */
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
  /** Refuses the newest caller of the longest line, if that line is longer than `size`. Returns whether it did. */
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
