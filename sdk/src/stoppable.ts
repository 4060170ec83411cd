/** Iterations that end at once: when their consumer returns, and when a signal is aborted. */

import type { Signal } from './signal.ts';

/** What native async iterators inherit, `Symbol.asyncDispose` among it where the runtime has that. */
const ASYNC_ITERATOR: object = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}.prototype));

const DONE = { done: true, value: undefined } as const;

/**
 * An iterator over what `start` gives, which gets a signal for its requests and pauses. Its `return` and `throw` abort that
 * signal. A plain generator would queue them until its pending `next` has settled, which in a tail may never happen: then
 * `Readable.from(tail).destroy()` would poll for ever. A pending `next` is done when `return` was called. `outer` aborts
 * too, with its own reason; it is listened to only during a `next`, so an iterator that is left behind leaves no listener.
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
 * The items of a source. As soon as the signal is aborted it throws the signal's reason, also while the source has not
 * given its next item; the source is told by its own `return`, which nobody waits for then.
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

/** Not `Promise.race` with one promise for the whole iteration: that would keep something of every step. */
function orAborted<T>(promise: Promise<T>, signal: Signal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
