import { useSyncExternalStore } from 'react';

/**
 * The token of a one-time link. It stands in the fragment, which never reaches a server, and leaves the address and
 * the history at once; from then on it is in the memory of this page alone.
 */

let token: string | null = null;
const listeners = new Set<() => void>();

function set(next: string | null): void {
  token = next;
  for (const listener of listeners) listener();
}

function take(): void {
  const found = new URLSearchParams(location.hash.slice(1)).get('token');
  if (found === null) return;
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  set(found);
}

/** Ahead of everything that reads the address. */
export function watchLinkTokens(): void {
  take();
  addEventListener('hashchange', take);
}

export const forgetLinkToken = (): void => set(null);

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useLinkToken = (): string | null => useSyncExternalStore(subscribe, () => token);
