export interface TopicsOptions {
  /**
   * Reads the current versions of topics, at most `readMax` at once. A version is any text that differs after a change. A
   * topic without a version is absent.
   */
  readonly readVersions: (topics: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly readMax: number;
  /** The pause between two readings of all watched topics. */
  readonly pauseMs: number;
  /** Called once for each series of failed readings. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Topics that change, and those who watch them. A change is noticed when someone calls `wake`, or when the version of the
 * topic differs at the next reading. So a signal that was lost delays a change, but loses none.
 */
export interface Topics {
  /**
   * Calls the listener after each change of the topic that begins after this call. It may also be called without a change.
   * Returns a function that ends this.
   */
  watch(topic: string, listener: () => void): () => void;
  /** Calls the listeners of these topics. */
  wake(topics: readonly string[]): void;
  /** The number of topics in memory. */
  readonly size: number;
  /** Ends the readings. Listeners are called no more. */
  close(): void;
}

interface Topic {
  readonly listeners: Set<() => void>;
  /** Undefined: not read yet. A change may have come before the first reading, so that one calls the listeners. */
  version: string | undefined;
}

export function createTopics({ readVersions, readMax, pauseMs, onFailure }: TopicsOptions): Topics {
  const topics = new Map<string, Topic>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let failing = false;

  const wakeOne = (topic: Topic | undefined): void => {
    // A listener may add or remove listeners.
    for (const listener of [...(topic?.listeners ?? [])]) listener();
  };
  const compare = async (names: readonly string[]): Promise<void> => {
    const versions = await readVersions(names);
    for (const name of names) {
      const topic = topics.get(name);
      const version = versions.get(name) ?? '';
      if (topic === undefined || topic.version === version) continue;
      topic.version = version;
      if (!closed) wakeOne(topic);
    }
  };
  const readAll = async (): Promise<void> => {
    // A topic that nobody watches is forgotten only here. Until then its version is known to those who watch it again.
    for (const [name, { listeners }] of topics) if (listeners.size === 0) topics.delete(name);
    const names = [...topics.keys()];
    try {
      for (let i = 0; i < names.length && !closed; i += readMax) await compare(names.slice(i, i + readMax));
      failing = false;
    } catch (error) {
      if (!failing && !closed) onFailure(error);
      failing = true;
    }
    timer = undefined;
    schedule();
  };
  const schedule = (): void => {
    if (closed || topics.size === 0 || timer !== undefined) return;
    timer = setTimeout(readAll, pauseMs);
    // The timer keeps no process running.
    timer.unref();
  };

  return {
    watch(name, listener) {
      const topic = topics.get(name) ?? { listeners: new Set(), version: undefined };
      topics.set(name, topic);
      // Each call is one listener, also if two calls pass the same function.
      const own = (): void => listener();
      topic.listeners.add(own);
      schedule();
      return () => topic.listeners.delete(own);
    },
    wake(names) {
      if (!closed) for (const name of names) wakeOne(topics.get(name));
    },
    get size() {
      return topics.size;
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
