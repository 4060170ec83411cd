import { vi } from 'vitest';

/** Long enough for a busy machine. The default of vitest is one second. */
const WAIT = { timeout: 30_000, interval: 20 } as const;

/** Calls `condition` until it does not throw, and resolves with its result. Rejects with its error after 30 seconds. */
export const waitFor = <T>(
  condition: () => T | Promise<T>,
  options: { readonly timeout?: number; readonly interval?: number } = {},
): Promise<T> => vi.waitFor(condition, { ...WAIT, ...options });
