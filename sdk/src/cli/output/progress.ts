import type { Io, Output } from '../io.ts';

const INTERVAL_MS = 100;
const CLEAR_LINE = '\r\u001b[K';

/** A progress line on standard error, shown only if standard error is a terminal. */
export interface Progress {
  add(records: number): void;
  /** Removes the line. */
  end(): void;
}

/**
 * `noun` is the plural of what is counted. If `written`, the stream for the records, is a terminal, nothing is shown.
 */
export function progressOf({ stderr, now }: Io, noun: string, written?: Output): Progress {
  if (stderr.isTTY !== true || written?.isTTY === true) return { add: () => undefined, end: () => undefined };
  const begun = now();
  let [records, shownAt] = [0, begun];
  return {
    add(count) {
      records += count;
      const at = now();
      if (at - shownAt < INTERVAL_MS) return;
      shownAt = at;
      const rate = Math.round((records * 1000) / (at - begun));
      stderr.write(`${CLEAR_LINE}${formatCount(records)} ${noun}, ${formatCount(rate)}/s`);
    },
    end() {
      if (shownAt > begun) stderr.write(CLEAR_LINE);
    },
  };
}

/** `12300` → `12,300`. */
export const formatCount = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');
