/** How soon, and how often, processes that crash are started again. */

const CRASH_WINDOW_MS = 60_000;
/** With more crashes within the window, the cause is considered permanent. */
const CRASHES_MAX = 10;
/** The same with several processes, because one cause can end all of them at once. */
const CRASHES_PER_PROCESS_MAX = 3;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/**
 * `next` counts a crash. Returns the pause before the restart, longer after each time that as many have crashed as there
 * are processes; undefined after too many crashes.
 */
export interface CrashLimit {
  readonly next: () => number | undefined;
}

export function createCrashLimit(processes: number, now: () => number = () => performance.now()): CrashLimit {
  const most = Math.max(CRASHES_MAX, CRASHES_PER_PROCESS_MAX * processes);
  let crashes: readonly number[] = [];
  return {
    next() {
      const at = now();
      crashes = [...crashes.filter((crash) => at - crash < CRASH_WINDOW_MS), at];
      if (crashes.length > most) return undefined;
      const times = Math.floor((crashes.length - 1) / processes);
      return Math.min(FIRST_PAUSE_MS * 2 ** times, LONGEST_PAUSE_MS);
    },
  };
}
