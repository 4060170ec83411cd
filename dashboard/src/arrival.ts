import { useDeferredValue } from 'react';

/**
 * The value, except that React renders its arrival in short tasks, which do not block a slow processor. Undefined until
 * then. A value that is there at first, and later changes, appear at once: the focus must find its row.
 */
export function useArrival<Value>(value: Value | undefined): Value | undefined {
  return useDeferredValue(value !== undefined) ? value : undefined;
}
