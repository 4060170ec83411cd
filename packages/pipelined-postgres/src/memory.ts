import {
  AVOIDED_MS,
  CALM_MS,
  CHARGE_MAX_MS,
  FAILURES_MAX,
  FREE_MS,
  OWED_MAX_MS,
  PAUSE_MAX_MS,
  PAUSE_MIN_MS,
  REMEMBERED_MAX,
} from './limits.ts';

/** A map that forgets its oldest entries. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED_MAX && oldest !== undefined) map.delete(oldest);
}

/** The owners and statements that run elsewhere for a while. */
export function createAvoided() {
  const untilMs = new Map<string, number>();
  return {
    add: (key: string): void => remember(untilMs, key, performance.now() + AVOIDED_MS),
    has(key: string): boolean {
      const until = untilMs.get(key);
      if (until === undefined) return false;
      if (until > performance.now()) return true;
      untilMs.delete(key);
      return false;
    },
  };
}

/** The time of the connection that each owner has used beyond what its statements may use. */
export function createDebts() {
  const owed = new Map<string, number>();
  return {
    /** Adds the time of a statement. Returns false, and forgets the debt, if the owner owes too much. */
    add(owner: string, ms: number): boolean {
      const debt = (owed.get(owner) ?? 0) + Math.min(ms, CHARGE_MAX_MS) - FREE_MS;
      if (debt <= 0 || debt > OWED_MAX_MS) owed.delete(owner);
      else remember(owed, owner, debt);
      return debt <= OWED_MAX_MS;
    },
  };
}

/** The pauses after failures. */
export function createPauses() {
  let failures = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  let untilMs = lastMs;
  return {
    failed(): void {
      const nowMs = performance.now();
      failures = nowMs - lastMs > CALM_MS ? 1 : failures + 1;
      lastMs = nowMs;
      const more = failures - FAILURES_MAX;
      const pauseMs = more <= 0 ? 0 : Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** (more - 1));
      untilMs = nowMs + pauseMs;
    },
    isOver: (): boolean => performance.now() >= untilMs,
  };
}
