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

/** Tells the other tabs that the session has ended. */
export const tellOtherTabs = (text: string): void => channel?.postMessage(text);

/** Calls `onEnd` when another tab says that the session has ended. */
export function watchOtherTabs(onEnd: (text: string) => void): void {
  channel?.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') onEnd(data);
  });
}
