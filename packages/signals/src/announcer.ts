export interface AnnouncerOptions {
  /** Sends topics. The next call waits until this one has ended. */
  readonly send: (topics: readonly string[]) => Promise<unknown>;
  /** The least time between the starts of two calls of `send`. */
  readonly pauseMs: number;
  /** The most topics that wait. Further ones are dropped. */
  readonly waitingMax: number;
  /** Called once for each series of failures. Topics that could not be sent are lost. */
  readonly onFailure: (error: unknown) => void;
}

/** Sends the topics that have changed, many together. */
export interface Announcer {
  /** Announces a topic. Never throws, and never waits. A topic that already waits is sent once. */
  announce(topic: string): void;
  /** Resolves once all topics so far are sent or lost. */
  drain(): Promise<void>;
}

export function createAnnouncer({ send, pauseMs, waitingMax, onFailure }: AnnouncerOptions): Announcer {
  let waiting = new Set<string>();
  let sending: Promise<void> | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  let failing = false;
  let endPause: (() => void) | undefined;

  const pause = async (): Promise<void> => {
    const ms = lastMs + pauseMs - performance.now();
    if (ms <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    endPause = () => {
      clearTimeout(timer);
      resolve();
    };
    await promise;
    endPause = undefined;
  };
  const sendAll = async (): Promise<void> => {
    while (waiting.size > 0) {
      await pause();
      const topics = [...waiting];
      waiting = new Set();
      lastMs = performance.now();
      try {
        await send(topics);
        failing = false;
      } catch (error) {
        if (!failing) onFailure(error);
        failing = true;
      }
    }
    sending = undefined;
  };
  return {
    announce(topic) {
      if (waiting.size >= waitingMax) return;
      waiting.add(topic);
      // In a later microtask, so that `sendAll` never ends before `sending` is set.
      sending ??= Promise.resolve().then(sendAll);
    },
    async drain() {
      while (sending !== undefined) {
        endPause?.();
        await sending;
      }
    },
  };
}
