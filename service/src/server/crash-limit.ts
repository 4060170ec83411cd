const WINDOW_MS = 60_000;
/** More crashes within the window have a lasting cause. */
const LIMIT = 10;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/** After each crash, returns the pause before a restart, longer each time; undefined after too many crashes. */
export interface CrashLimit {
  readonly next: () => number | undefined;
}

export function createCrashLimit(now: () => number = () => performance.now()): CrashLimit {
  let crashes: readonly number[] = [];
  return {
    next() {
      const at = now();
      crashes = [...crashes.filter((crash) => at - crash < WINDOW_MS), at];
      if (crashes.length > LIMIT) return undefined;
      return Math.min(FIRST_PAUSE_MS * 2 ** (crashes.length - 1), LONGEST_PAUSE_MS);
    },
  };
}
