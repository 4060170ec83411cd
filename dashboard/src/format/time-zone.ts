import { useSyncExternalStore } from 'react';
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
const listeners = new Set<() => void>();

function use(zone: string | null): void {
  chosen = zone;
  for (const listener of listeners) listener();
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

/** A choice in another tab applies here, too. */
function onStorage({ key }: StorageEvent): void {
  if (key === STORED_AS || key === null) use(read());
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('storage', onStorage);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener('storage', onStorage);
  };
}

/** The zone of all dates. A component that formats a time uses it, so that it follows a new choice. */
export const useTimeZone = (): string => useSyncExternalStore(subscribe, timeZone);
export const useChosenTimeZone = (): string | null => useSyncExternalStore(subscribe, chosenTimeZone);
