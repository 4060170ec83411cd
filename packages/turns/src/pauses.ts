/** Pauses of owners whose work has failed, so that it delays the work of others less and less. */
export interface Pauses {
  /** Whether the owner may not be tried now (`paused`), may be tried again (`over`), or has not failed (`none`). */
  of(owner: string): 'none' | 'paused' | 'over';
  /** The owners in the order in which their pauses end. */
  sorted(owners: readonly string[]): readonly string[];
  /** Begins a pause: twice as long as the one before, and at most `longestMs`. */
  failed(owner: string, longestMs: number): void;
  /** Forgets the pauses of the owner. */
  succeeded(owner: string): void;
}

interface Pause {
  readonly ms: number;
  readonly untilMs: number;
}

/** An owner whose pause was over for so long has no work any more, or another process does it. */
const FORGOTTEN_MS = 10 * 60 * 1000;

/** `firstMs`: the pause after the first failure. `now`: a clock that never goes back. */
export function createPauses(firstMs: number, now: () => number = () => performance.now()): Pauses {
  const pauses = new Map<string, Pause>();
  let forgottenAt = now();
  const forgetOld = (): void => {
    if (now() < forgottenAt + FORGOTTEN_MS) return;
    forgottenAt = now();
    for (const [owner, { untilMs }] of pauses) if (untilMs + FORGOTTEN_MS < forgottenAt) pauses.delete(owner);
  };
  return {
    of(owner) {
      const pause = pauses.get(owner);
      if (pause === undefined) return 'none';
      return now() < pause.untilMs ? 'paused' : 'over';
    },
    sorted: (owners) =>
      owners.toSorted((a, b) => (pauses.get(a)?.untilMs ?? 0) - (pauses.get(b)?.untilMs ?? 0)),
    failed(owner, longestMs) {
      forgetOld();
      const ms = Math.min(2 * (pauses.get(owner)?.ms ?? firstMs / 2), longestMs);
      pauses.set(owner, { ms, untilMs: now() + ms });
    },
    succeeded: (owner) => void pauses.delete(owner),
  };
}
