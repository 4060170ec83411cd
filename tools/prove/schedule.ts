/** Something to run. */
export interface Task {
  /** No other exclusive task runs at the same time. */
  readonly exclusive: boolean;
  /** No other task runs at the same time. */
  readonly alone: boolean;
  readonly run: () => Promise<boolean>;
}

/**
 * Runs the tasks, at most `atATime` at a time. Each free place takes the first task that may start. Resolves with whether
 * each succeeded, in their order.
 */
export async function runTasks(tasks: readonly Task[], atATime: number): Promise<readonly boolean[]> {
  const waiting = [...tasks.entries()];
  const running = new Map<Promise<void>, Task>();
  const succeeded: boolean[] = [];
  const mayStart = (task: Task): boolean =>
    running.values().every((other) => !task.alone && !other.alone && !(task.exclusive && other.exclusive));
  while (waiting.length > 0 || running.size > 0) {
    const next = waiting.findIndex(([, task]) => mayStart(task));
    const [taken] = running.size < atATime && next >= 0 ? waiting.splice(next, 1) : [];
    if (taken === undefined) {
      await Promise.race(running.keys());
      continue;
    }
    const [index, task] = taken;
    const ended = task.run().then((success) => {
      succeeded[index] = success;
      running.delete(ended);
    });
    running.set(ended, task);
  }
  return succeeded;
}
