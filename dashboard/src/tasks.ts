/** Ends the task that runs now, so that the browser can respond between short tasks. */
export const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    // The timers of a tab in the background are slow.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

let turns: Promise<void> = Promise.resolve();

/** Resolves in a task of its own, in the order of the calls. For work that many parts of a page start at once. */
export function ownTask(): Promise<void> {
  turns = turns.then(nextTask);
  return turns;
}
