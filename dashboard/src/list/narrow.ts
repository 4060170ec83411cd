import { useSyncExternalStore } from 'react';

/** Below the breakpoint `md` of the style sheet, a table has no place for its columns. */
const narrow = matchMedia('(width < 48rem)');

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}

/** Whether the window is as narrow as a phone. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);
