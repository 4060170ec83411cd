/** Something to run. No two exclusive tasks run at the same time, and no other task beside one that runs alone. */
export interface Task {
  readonly exclusive: boolean;
  readonly alone: boolean;
  readonly run: () => Promise<boolean>;
}

/**
 * Runs the tasks, at most `atATime` at a time. Each free place takes the first task that may start. Resolves with whether
 * each succeeded, in their order.
 */
export async function runTasks(tasks: readonly Task[], atATime: number): Promise<readonly boolean[]> {
  const waiting = [...tasks.entries()];
  const running = new Set<Promise<void>>();
  const succeeded: boolean[] = [];
  let exclusiveRuns = false;
  let aloneRuns = false;
  const mayStart = ({ exclusive, alone }: Task): boolean =>
    !aloneRuns && !(exclusive && exclusiveRuns) && !(alone && running.size > 0);
  while (waiting.length > 0 || running.size > 0) {
    const next = waiting.findIndex(([, task]) => mayStart(task));
    const [taken] = running.size < atATime && next >= 0 ? waiting.splice(next, 1) : [];
    if (taken === undefined) {
      await Promise.race(running);
      continue;
    }
    const [index, { exclusive, alone, run }] = taken;
    exclusiveRuns ||= exclusive;
    aloneRuns ||= alone;
    const ended = run().then((success) => {
      succeeded[index] = success;
      if (exclusive) exclusiveRuns = false;
      if (alone) aloneRuns = false;
      running.delete(ended);
    });
    running.add(ended);
  }
  return succeeded;
}
