import { Presets, SingleBar } from 'cli-progress';

/** The progress of a command. Shown only if standard error is a terminal. */
export interface Progress {
  /** Sets the bytes and records processed so far. */
  readonly update: (bytes: number, records: number) => void;
  readonly stop: () => void;
}

const REDRAWS_PER_SECOND = 5;
const MS_PER_SECOND = 1_000;
const number = new Intl.NumberFormat('en');
const RATE = '{records} records | {rate}/s';

/** Shows a bar of `size` bytes with rate and remaining time on standard error; without a size, only count and rate. */
export function showProgress(size: number | undefined): Progress {
  if (!process.stderr.isTTY) return { update: () => undefined, stop: () => undefined };
  const known = size !== undefined && size > 0;
  const bar = new SingleBar(
    {
      format: known
        ? `{bar} {percentage}% | ${RATE} | {eta_formatted} left`
        : `{duration_formatted} | ${RATE}`,
      fps: REDRAWS_PER_SECOND,
      hideCursor: true,
      clearOnComplete: true,
      stopOnComplete: false,
      gracefulExit: false,
    },
    Presets.shades_classic,
  );
  const started = performance.now();
  bar.start(known ? size : 1, 0, { records: 0, rate: 0 });
  return {
    update: (bytes, records) => {
      const seconds = (performance.now() - started) / MS_PER_SECOND;
      const rate = number.format(Math.round(records / Math.max(seconds, Number.EPSILON)));
      bar.update(known ? bytes : 0, { records: number.format(records), rate });
    },
    stop: () => bar.stop(),
  };
}
