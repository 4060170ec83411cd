import { setImmediate } from 'node:timers/promises';

/** The most characters read in one turn of the event loop: some milliseconds of work. */
export const TURN_CHARACTERS = 64 * 1024;

/** Divides the work on a file into turns of the event loop, so that other requests run meanwhile. */
export interface Pace {
  /** Counts work. Returns true once this turn has done its share: call `rest` then. */
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
