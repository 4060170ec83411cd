/** Iterators that stop immediately when their consumer calls `return` or when a signal is aborted. */

import type { Signal } from './signal.ts';

/** The prototype of native async iterators. It includes `Symbol.asyncDispose` if the runtime supports it. */
const ASYNC_ITERATOR: object = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}.prototype));

const DONE = { done: true, value: undefined } as const;

/**
 * Returns an iterator over the items of `start`. `start` receives a signal for its requests and pauses; `return` and
 * `throw` abort that signal, and a pending `next` then resolves as done. A plain generator would queue `return` until
 * its pending `next` settles. In a tail that may never happen, and `Readable.from(tail).destroy()` would poll
 * forever.
 *
 * If `outer` is aborted, `next` rejects with the reason of `outer`. The iterator listens to `outer` only during
 * `next`, so an abandoned iterator leaves no listener.
 */
export function stoppable<T>(
  start: (signal: Signal) => AsyncGenerator<T, void, undefined>,
  outer: Signal | undefined,
): AsyncGenerator<T, void, undefined> {
  const controller = new AbortController();
  const stopped = new Error('The iteration was ended by its consumer.');
  const items = start(controller.signal);
  const iterator: Pick<AsyncGenerator<T, void, undefined>, 'next' | 'return' | 'throw'> = {
    async next() {
      const abort = (): void => controller.abort(outer?.reason);
      if (outer?.aborted === true) abort();
      outer?.addEventListener('abort', abort);
      try {
        return await items.next();
      } catch (error) {
        if (error === stopped) return DONE;
        throw error;
      } finally {
        outer?.removeEventListener('abort', abort);
      }
    },
    return(value) {
      controller.abort(stopped);
      return items.return(value);
    },
    throw(error) {
      controller.abort(stopped);
      return items.throw(error);
    },
  };
  return Object.assign(Object.create(ASYNC_ITERATOR), iterator);
}

/**
 * Yields the items of a source. When the signal is aborted, it throws the signal's reason immediately, even while it
 * waits for the next item. It then calls the source's `return` without waiting for the result.
 */
export async function* untilAborted<T>(
  source: Iterable<T> | AsyncIterable<T>,
  signal: Signal,
): AsyncGenerator<T, void, undefined> {
  if (!(Symbol.asyncIterator in source)) {
    for (const item of source) {
      signal.throwIfAborted();
      yield await item;
    }
    return;
  }
  const items = source[Symbol.asyncIterator]();
  let state = 'open' as 'open' | 'stuck' | 'ended';
  try {
    for (;;) {
      let step: IteratorResult<T>;
      try {
        step = await orAborted(items.next(), signal);
      } catch (error) {
        state = signal.aborted ? 'stuck' : 'ended';
        throw error;
      }
      if (step.done === true) {
        state = 'ended';
        return;
      }
      yield step.value;
    }
  } finally {
    const returned = state === 'ended' ? undefined : Promise.resolve(items.return?.());
    if (state === 'stuck') returned?.catch(() => undefined);
    else await returned;
  }
}

/**
 * Settles like `promise`, or rejects when the signal is aborted. `Promise.race` with one promise for the whole
 * iteration would leak memory: that promise would keep a reaction for every step.
 */
function orAborted<T>(promise: Promise<T>, signal: Signal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
