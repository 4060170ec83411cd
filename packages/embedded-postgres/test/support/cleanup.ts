/** What a test file leaves to be undone when it is over, in the order in which it was made. */
const cleanups: (() => Promise<void>)[] = [];

/** Undoes something after the last test, and the last `afterAll`, of the test file that calls this. */
export function onFileEnd(cleanup: () => Promise<void>): void {
  cleanups.push(cleanup);
}

/** Runs every cleanup, the last one first, even when one fails; then throws what failed. */
export async function runCleanups(): Promise<void> {
  const failures: unknown[] = [];
  for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) {
    await cleanup().catch((error: unknown) => failures.push(error));
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('\n'));
}
