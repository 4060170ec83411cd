import { createPauses } from './pauses.ts';

/** What came of the work of an owner. `busy`: others held what it needs. */
export type Outcome = 'done' | 'busy' | 'failed';

interface RoundOptions {
  /** The owners that have work after this one, in the order of their names. None: there are no others. */
  readonly ownersAfter: (owner: string) => Promise<readonly string[]>;
  /** Does the work of an owner. `waits`: for what others hold. */
  readonly attempt: (owner: string, waits: boolean) => Promise<Outcome>;
  /** Judges an error of `attempt`. If it throws, the round ends. */
  readonly failed: (error: unknown, owner: string, waits: boolean) => Outcome;
}

/**
 * After this time, a round begins with no other owner: of those that have not failed, of those that have, and of those that
 * were busy.
 */
const FRESH_MS = 3_000;
const AGAIN_MS = 1_000;
const WAITING_MS = 1_000;
/** The most busy owners for which a round waits. */
const WAITING_MAX = 4;
/** The pauses of an owner: twice as long each time. */
const PAUSE_MS = 1_000;
const BUSY_PAUSE_MAX_MS = 4_000;
const FAILED_PAUSE_MAX_MS = 60_000;

/** Rounds of work that many owners have. However many of them fail or are busy, they delay the others by a few seconds. */
export interface Rounds {
  /**
   * Tries owners from the one after the last round's to the last one. The next round then begins with the first one.
   * Resolves with whether it has reached the last one.
   */
  run(options: RoundOptions): Promise<boolean>;
}

/** `now`: a clock that never goes back. */
export function createRounds(now: () => number = () => performance.now()): Rounds {
  const pauses = createPauses(PAUSE_MS, now);
  let last = '';

  async function* owners(ownersAfter: RoundOptions['ownersAfter']): AsyncGenerator<string, void> {
    for (let page = await ownersAfter(last); page.length > 0; page = await ownersAfter(last)) {
      for (const owner of page) {
        last = owner;
        yield owner;
      }
    }
    last = '';
  }

  return {
    async run({ ownersAfter, attempt, failed }) {
      const over: string[] = [];
      const busy: string[] = [];
      const work = async (owner: string, waits: boolean): Promise<void> => {
        const outcome = await attempt(owner, waits).catch((error) => failed(error, owner, waits));
        if (outcome === 'done') pauses.succeeded(owner);
        if (outcome === 'failed') pauses.failed(owner, FAILED_PAUSE_MAX_MS);
        if (outcome === 'busy' && !waits) busy.push(owner);
      };
      const workOn = async (some: readonly string[], ms: number, waits: boolean): Promise<void> => {
        const endMs = now() + ms;
        for (const owner of some) if (now() < endMs) await work(owner, waits);
      };
      const endMs = now() + FRESH_MS;
      for await (const owner of owners(ownersAfter)) {
        const pause = pauses.of(owner);
        if (pause === 'over') over.push(owner);
        if (pause === 'none') await work(owner, false);
        if (now() >= endMs) break;
      }
      await workOn(pauses.sorted(over), AGAIN_MS, false);
      for (const owner of busy) pauses.failed(owner, BUSY_PAUSE_MAX_MS);
      // Others each time: those that wait longest may be busy for long.
      const from = Math.floor(Math.random() * busy.length);
      const waiting = [...busy.slice(from), ...busy.slice(0, from)].slice(0, WAITING_MAX);
      await workOn(waiting, WAITING_MS, true);
      return last === '';
    },
  };
}
