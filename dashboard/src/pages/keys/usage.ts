import { LISTED_USAGE_DAYS } from '@svc/service/dashboard/limits';
import type { DayOfKey } from '@svc/service/dashboard/wire';
import { DAY_MS } from '../../format/ms.ts';

/** The last days in UTC, `2026-03-01`, the oldest first. */
export const daysOf = (count: number, nowMs = Date.now()): readonly string[] =>
  Array.from({ length: count }, (_, ago) =>
    new Date(nowMs - (count - 1 - ago) * DAY_MS).toISOString().slice(0, 10),
  );

/** The requests of each of the last days, the oldest first, with 0 for days without requests. */
export function lastDays(days: readonly DayOfKey[] = [], nowMs = Date.now()): readonly DayOfKey[] {
  const known = new Map(days.map(({ day, requests }) => [day, requests]));
  return daysOf(LISTED_USAGE_DAYS, nowMs).map((day) => ({ day, requests: known.get(day) ?? 0 }));
}
