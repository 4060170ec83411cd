import type { Usage } from '@svc/service/dashboard/wire';

export const USAGE_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1_000;

export interface DayOfKey {
  /** `2026-03-01`, UTC. */
  readonly day: string;
  readonly requests: number;
}

/** The last days in UTC, `2026-03-01`, the oldest first. */
export const daysOf = (count: number, nowMs = Date.now()): readonly string[] =>
  Array.from({ length: count }, (_, ago) =>
    new Date(nowMs - (count - 1 - ago) * DAY_MS).toISOString().slice(0, 10),
  );

/** Returns a function from a key's id to its requests per day, oldest day first, with 0 for days without requests. */
export function requestsByKey({ data }: Usage, nowMs = Date.now()): (keyId: string) => readonly DayOfKey[] {
  const days = daysOf(USAGE_DAYS, nowMs);
  const known = new Map(data.map(({ keyId, day, requests }) => [`${keyId} ${day}`, requests]));
  return (keyId) => days.map((day) => ({ day, requests: known.get(`${keyId} ${day}`) ?? 0 }));
}
