import { BASE_PATH } from '../base.ts';
import { createStore } from '../listeners.ts';

/**
 * What the tabs of this browser tell each other, because they have the same cookie: that the session has ended, or that
 * somebody has signed in. The sign-in page says why the session ended.
 */

/** `ended`: why the session has ended. `signed-in`: somebody has signed in. */
export type TabMessage = { readonly ended: string } | 'signed-in';

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(`svc ${BASE_PATH}`);
const reason = createStore<string | null>(null);

/** Stores why the session ended, for the sign-in page of this tab. Null: it has not ended. */
export const setEndReason = (next: string | null): void => reason.set(next);

/** Why the session of this tab ended; null if there was none. */
export const useEndReason = (): string | null => reason.use();

export const tellOtherTabs = (message: TabMessage): void => channel?.postMessage(message);

/** Calls `onMessage` with what another tab has told. */
export function watchOtherTabs(onMessage: (message: TabMessage) => void): void {
  channel?.addEventListener('message', ({ data }) => {
    // A tab with another release may tell something else.
    if (data === 'signed-in' || typeof data?.ended === 'string') onMessage(data);
  });
}
