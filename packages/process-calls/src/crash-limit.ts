/** How soon, and how often, a process that crashes is started again. */

const CRASH_WINDOW_MS = 60_000;
/** With more crashes within the window, the cause is considered permanent. */
const CRASHES_MAX = 10;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/** `next` counts a crash. Returns the pause before the restart, longer each time; undefined after too many crashes. */
export interface CrashLimit {
  readonly next: () => number | undefined;
}

export function createCrashLimit(now: () => number = () => performance.now()): CrashLimit {
  let crashes: readonly number[] = [];
  return {
    next() {
      const at = now();
      crashes = [...crashes.filter((crash) => at - crash < CRASH_WINDOW_MS), at];
      if (crashes.length > CRASHES_MAX) return undefined;
      return Math.min(FIRST_PAUSE_MS * 2 ** (crashes.length - 1), LONGEST_PAUSE_MS);
    },
  };
}
