import { useSyncExternalStore } from 'react';

type Unsubscribe = () => void;

/** Components that follow a value outside of React: `subscribe` is for `useSyncExternalStore`. */
export interface Listeners {
  /** Tells all of them that the value may have changed. */
  notify(): void;
  subscribe(listener: () => void): Unsubscribe;
}

export function createListeners(): Listeners {
  const listeners = new Set<() => void>();
  return {
    notify: () => {
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A value that several components share. It lasts until the page is closed. */
export interface Store<Value> {
  get(): Value;
  set(next: Value): void;
  /** The value, for a component, which renders again when it changes. */
  use(): Value;
}

export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  const { notify, subscribe } = createListeners();
  const get = (): Value => value;
  return {
    get,
    set: (next) => {
      value = next;
      notify();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}
