import { useSyncExternalStore } from 'react';
import { BASE_PATH } from '../base.ts';

/**
 * The end of the session, in all tabs of this browser: they have the same cookie. The sign-in page says why it ended.
 */

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(`svc ${BASE_PATH}`);
let reason: string | null = null;
const listeners = new Set<() => void>();

/** Stores why the session ended, for the sign-in page of this tab. Null: it has not ended. */
export function setEndReason(next: string | null): void {
  reason = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Why the session of this tab ended; null if there was none. */
export const useEndReason = (): string | null => useSyncExternalStore(subscribe, () => reason);

/** Tells the other tabs why the session has ended. Null: somebody has signed in. */
export const tellOtherTabs = (text: string | null): void => channel?.postMessage(text);

/** Calls `onMessage` with what another tab has told. */
export function watchOtherTabs(onMessage: (text: string | null) => void): void {
  channel?.addEventListener('message', ({ data }) => {
    if (data === null || typeof data === 'string') onMessage(data);
  });
}
