import { useEffect, useState } from 'react';
import type { CursorList } from '../../list/cursor-list.ts';
import { PAGE_ITEMS_MAX } from '../../list/pages.ts';

const POLL_MS = 1_500;

export interface LiveTail {
  /** Why the last look for new entries failed; the next one may not. */
  readonly error: unknown;
}

/**
 * Asks for what is newer than the first entry shown, again and again while the page is looked at. Nothing is missed while
 * it is not: the next look begins where the last one ended.
 */
export function useLiveTail({ items, loadNewer }: CursorList<unknown>, live: boolean): LiveTail {
  const [error, setError] = useState<unknown>(null);
  const ready = items !== undefined;
  useEffect(() => {
    if (!live || !ready) return;
    let ended = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      try {
        if (!document.hidden) {
          // More than a page has come: the rest of it at once.
          while (!ended && (await loadNewer()) === PAGE_ITEMS_MAX);
          setError(null);
        }
      } catch (caught) {
        setError(caught);
      }
      if (!ended) timer = setTimeout(() => void look(), POLL_MS);
    };
    void look();
    return () => {
      ended = true;
      clearTimeout(timer);
      setError(null);
    };
  }, [live, ready, loadNewer]);
  return { error };
}
