import { useSyncExternalStore } from 'react';
import { createListeners } from '../listeners.ts';
import { store } from '../stored.ts';

/** index.html reads the theme under this name before the first paint. */
const STORED_AS = 'svc.theme';

export type Theme = 'system' | 'light' | 'dark';

const { notify, subscribe } = createListeners();

const current = (): Theme => {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
};

/** Selects a theme for this browser. If its storage is switched off, the theme lasts until the page is closed. */
export function setTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset['theme'];
  else dataset['theme'] = theme;
  store(STORED_AS, theme === 'system' ? null : theme);
  notify();
}

/** The selected theme. */
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

/** The theme in effect, for plots, which cannot use the style sheet. */
export const useShownTheme = (): 'light' | 'dark' =>
  useSyncExternalStore(subscribeShown, () => {
    const theme = current();
    if (theme !== 'system') return theme;
    return darkSystem.matches ? 'dark' : 'light';
  });
