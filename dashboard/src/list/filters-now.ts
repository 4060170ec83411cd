import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** The "now" from which relative time ranges are counted back. */

const KEPT_MAX = 100;
/** When filters were set, by the entry of the browser's history and the filters. The oldest first. */
const kept = new Map<string, number>();

function keep(place: string, nowMs: number): void {
  kept.delete(place);
  kept.set(place, nowMs);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT_MAX) return;
    kept.delete(oldest);
  }
}

/**
 * The time at which these filters were set. It stays the same while the filters do, and after Back and Forward, so that the
 * same list is found in the cache. Opening the page again by a link gets the present time.
 */
export function useFiltersNow(filters: string): number {
  const historyKey = useLocation({ select: ({ state }) => state.__TSR_key ?? '' });
  const place = `${historyKey} ${filters}`;
  const [set, setSet] = useState(() => ({ place, filters, nowMs: kept.get(place) ?? Date.now() }));
  let current = set;
  if (set.place !== place) {
    // Opening or closing the dialog makes another entry of the history with the same filters.
    const before = set.filters === filters ? set.nowMs : undefined;
    current = { place, filters, nowMs: kept.get(place) ?? before ?? Date.now() };
    setSet(current);
  }
  useEffect(() => keep(current.place, current.nowMs), [current]);
  return current.nowMs;
}
