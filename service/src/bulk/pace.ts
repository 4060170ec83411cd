import { setImmediate } from 'node:timers/promises';

/** What one turn of the event loop reads at most, in characters: some milliseconds of work. */
export const TURN_CHARACTERS = 64 * 1024;

/** Divides the work on a file into turns of the event loop, so that other requests are answered meanwhile. */
export interface Pace {
  /** Counts work. True when this turn has had its share: then `rest` comes next. */
  readonly spend: (characters: number) => boolean;
  /** Resolves in a later turn. */
  readonly rest: () => Promise<void>;
}

/** `pause` ends a turn. */
export function createPace(pause: () => Promise<unknown> = setImmediate): Pace {
  let spent = 0;
  return {
    spend(characters) {
      spent += characters;
      return spent >= TURN_CHARACTERS;
    },
    async rest() {
      spent = 0;
      await pause();
    },
  };
}
