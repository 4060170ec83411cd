/** The cleanups of a test file, in the order in which they were added. */
const cleanups: (() => Promise<void>)[] = [];

/** Runs a cleanup after the last test and the last `afterAll` of the current test file. */
export function onFileEnd(cleanup: () => Promise<void>): void {
  cleanups.push(cleanup);
}

/** Runs all cleanups, the last one first, even if one fails. Then throws the failures. */
export async function runCleanups(): Promise<void> {
  const failures: unknown[] = [];
  for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) {
    await cleanup().catch((error: unknown) => failures.push(error));
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('\n'));
}
