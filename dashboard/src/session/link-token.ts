import { useSyncExternalStore } from 'react';

/**
 * The token of a one-time link. Links have it in the fragment, which browsers do not send to a server. This module
 * removes it from the URL and the history at once, and then keeps it only in memory.
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

/** Call before anything else reads the URL. */
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
