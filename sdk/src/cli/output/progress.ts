import type { Io, Output } from '../io.ts';

const INTERVAL_MS = 100;
const CLEAR_LINE = '\r\u001b[K';

/** A progress line on standard error, shown only if standard error is a terminal. */
export interface Progress {
  add(records: number): void;
  /** Removes the line. */
  end(): void;
}

/** The name of what is counted. */
export interface Noun {
  readonly singular: string;
  readonly plural: string;
}

/** If `written`, the stream for the records, is a terminal, nothing is shown. */
export function progressOf({ stderr, now }: Io, noun: Noun, written?: Output): Progress {
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
      stderr.write(`${CLEAR_LINE}${countText(records, noun)}, ${formatCount(rate)}/s`);
    },
    end() {
      if (shownAt > begun) stderr.write(CLEAR_LINE);
    },
  };
}

/** `1 company` or `12,300 companies`. */
export const countText = (count: number, { singular, plural }: Noun): string =>
  `${formatCount(count)} ${count === 1 ? singular : plural}`;

/** `12300` → `12,300`. */
export const formatCount = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');
