import { useDeferredValue } from 'react';

/**
 * Returns the value. If it arrives after the first render, React renders it in short tasks, which do not block a slow
 * processor, and the result is undefined until they are done. A value that is there at the first render, and each later
 * change, is returned at once, so that the focus and the scroll position find their row. `key`: another key is another
 * value.
 */
export function useArrival<Value>(value: Value | undefined, key: unknown): Value | undefined {
  const missing = useDeferredValue(value === undefined ? key : null);
  return missing === key ? undefined : value;
}
