import { createStore } from '../listeners.ts';

/**
 * The token of a one-time link. Links have it in the fragment, which browsers do not send to a server. This module
 * removes it from the URL and the history at once, and then keeps it only in memory.
 */

const token = createStore<string | null>(null);

function take(): void {
  const found = new URLSearchParams(location.hash.slice(1)).get('token');
  if (found === null) return;
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  token.set(found);
}

/** Call before anything else reads the URL. */
export function watchLinkTokens(): void {
  take();
  addEventListener('hashchange', take);
}

export const forgetLinkToken = (): void => token.set(null);

export const useLinkToken = (): string | null => token.use();
