/**
 * Returns a function that sends items to another process: while one call has no answer, further items wait and are sent
 * together in the next. So a process that does not answer costs the memory of `itemsMax` items; others are dropped.
 * Items that are equal are sent once.
 */
export function sendUnited<Item>(
  call: (items: readonly Item[]) => Promise<unknown>,
  itemsMax: number,
): (items: readonly Item[]) => void {
  let waiting = new Set<Item>();
  let busy = false;
  const send = (): void => {
    if (busy || waiting.size === 0) return;
    const items = [...waiting];
    waiting = new Set();
    busy = true;
    void call(items)
      .catch(() => undefined)
      .then(() => {
        busy = false;
        send();
      });
  };
  return (items) => {
    for (const item of items) if (waiting.size < itemsMax) waiting.add(item);
    send();
  };
}
