import type { Time } from '@svc/sdk';
import type uPlot from 'uplot';
import { formatCompact } from '../format/number.ts';
import type { PlotColors } from './plot.tsx';

/** In pixels. */
export const PLOT_HEIGHT = 220;
const FONT = '12px system-ui, sans-serif';

/** The x values of a plot: seconds since the epoch. */
export const secondsOf = (times: readonly Time[]): number[] => times.map((at) => Date.parse(at) / 1000);

/** In pixels: labels of one line, and of two. */
const AXIS_HEIGHTS = { day: 28, other: 44 };

/** The axis of times. `step` day: the labels need only one line, because ranges of days are short. */
export const timeAxis = ({ soft, line }: PlotColors, step?: 'hour' | 'day'): uPlot.Axis => ({
  stroke: soft,
  font: FONT,
  grid: { show: false },
  ticks: { stroke: line, width: 1, size: 4 },
  gap: 6,
  size: step === 'day' ? AXIS_HEIGHTS.day : AXIS_HEIGHTS.other,
  space: 72,
  values: [
    // Step in seconds, label, and the label's addition where a year, a month or a day begins.
    [86_400 * 365, '{YYYY}', null, null, null, null, null, null, 1],
    [86_400 * 28, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
    [86_400, '{MMM} {D}', null, null, null, null, null, null, 1],
    [3_600, '{HH}:{mm}', '\n{MMM} {D}', null, '\n{MMM} {D}', null, null, null, 1],
    [60, '{HH}:{mm}', '\n{MMM} {D}', null, '\n{MMM} {D}', null, null, null, 1],
  ],
});

export const valueAxis = ({ soft, line }: PlotColors, unit = ''): uPlot.Axis => ({
  stroke: soft,
  font: FONT,
  size: 48,
  gap: 4,
  space: 36,
  grid: { stroke: line, width: 1 },
  ticks: { show: false },
  values: (_, splits) => splits.map((value) => `${formatCompact(value)}${unit}`),
});

/** A scale from 0 to a little above the highest value, but at least to `least`. */
export const fromZero =
  (least: number): uPlot.Range.Function =>
  (_, __, max) => [0, Math.max(least, (max ?? 0) * 1.08)];

/** Indices of values without a neighbour. */
export const lonePoints = ({ data }: uPlot, series: number): number[] => {
  const values = data[series] ?? [];
  return [...values].flatMap((value, i) =>
    value != null && values[i - 1] == null && values[i + 1] == null ? [i] : [],
  );
};

/** Shows only a vertical line at the pointer. There is no zoom: the page has a range picker. */
export const CURSOR: uPlot.Cursor = { drag: { x: false, y: false, setScale: false }, y: false };
