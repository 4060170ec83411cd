import { useSyncExternalStore } from 'react';
import { createListeners } from '../listeners.ts';
import { readStored, store } from '../stored.ts';

/** The time zone of all dates: that of the browser, or the one that the viewer has chosen in this browser. */

const STORED_AS = 'svc.time-zone';

/** The browser's time zone, such as `Europe/Berlin`. */
export const BROWSER_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

export const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

function read(): string | null {
  const stored = readStored(STORED_AS);
  return stored !== null && isTimeZone(stored) ? stored : null;
}

let chosen = read();
const { notify, subscribe } = createListeners();

function use(zone: string | null): void {
  chosen = zone;
  notify();
}

/**
 * Chooses a zone for this browser. Null: that of the browser. If its storage is switched off, the choice lasts until the
 * page is closed.
 */
export function setTimeZone(zone: string | null): void {
  store(STORED_AS, zone);
  use(zone);
}

/** The chosen zone. Null: that of the browser. */
export const chosenTimeZone = (): string | null => chosen;
/** The zone of all dates. */
export const timeZone = (): string => chosen ?? BROWSER_ZONE;

// A choice in another tab applies here, also if no date is shown now. Unit tests have no window.
globalThis.addEventListener?.('storage', ({ key }) => {
  if (key === STORED_AS || key === null) use(read());
});

/** The zone of all dates. A component that formats a time uses it, so that it follows a new choice. */
export const useTimeZone = (): string => useSyncExternalStore(subscribe, timeZone);
export const useChosenTimeZone = (): string | null => useSyncExternalStore(subscribe, chosenTimeZone);
