import { useEffect, useState } from 'react';
import type { CursorList } from '../../list/cursor-list.ts';

const POLL_MS = 1_500;

export interface LiveTail {
  /** Why the last request for new entries failed; null if it succeeded. */
  readonly error: unknown;
}

/**
 * Polls for entries that are newer than the first one shown, while the page is visible. No entry is missed while it is
 * hidden: the next request continues where the last one ended.
 */
export function useLiveTail({ items, loadNewer }: CursorList<unknown>, live: boolean): LiveTail {
  const [error, setError] = useState<unknown>(null);
  const ready = items !== undefined;
  useEffect(() => {
    if (!live || !ready) return;
    let ended = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poll = async (): Promise<void> => {
      try {
        if (!document.hidden) {
          // A page without an entry can also have more after it, if a filter has no index.
          while (!ended && (await loadNewer()).more);
          setError(null);
        }
      } catch (caught) {
        setError(caught);
      }
      if (!ended) timer = setTimeout(() => void poll(), POLL_MS);
    };
    void poll();
    return () => {
      ended = true;
      clearTimeout(timer);
      setError(null);
    };
  }, [live, ready, loadNewer]);
  return { error };
}
