import { useSyncExternalStore } from 'react';

/** public/theme.js reads the choice ahead of the first paint, under this name. */
const STORED_AS = 'svc.theme';

export type Theme = 'system' | 'light' | 'dark';

const listeners = new Set<() => void>();

const current = (): Theme => {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
};

export function setTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset['theme'];
  else dataset['theme'] = theme;
  try {
    if (theme === 'system') localStorage.removeItem(STORED_AS);
    else localStorage.setItem(STORED_AS, theme);
  } catch {
    // Storage is switched off: the choice holds until the page is left.
  }
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** What was chosen. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, current);

const darkSystem = matchMedia('(prefers-color-scheme: dark)');

function subscribeShown(listener: () => void): () => void {
  darkSystem.addEventListener('change', listener);
  const unsubscribe = subscribe(listener);
  return () => {
    darkSystem.removeEventListener('change', listener);
    unsubscribe();
  };
}

/** What is seen: for what is drawn and cannot follow the style sheet by itself. */
export const useShownTheme = (): 'light' | 'dark' =>
  useSyncExternalStore(subscribeShown, () => {
    const theme = current();
    if (theme !== 'system') return theme;
    return darkSystem.matches ? 'dark' : 'light';
  });
