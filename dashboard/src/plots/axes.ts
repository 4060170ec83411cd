import type uPlot from 'uplot';
import type { PlotColors } from './plot.tsx';

const FONT = '12px system-ui, sans-serif';

/** The time below a plot, in the viewer's zone. */
export const timeAxis = ({ soft, line }: PlotColors): uPlot.Axis => ({
  stroke: soft,
  font: FONT,
  grid: { show: false },
  ticks: { stroke: line, width: 1, size: 4 },
  gap: 6,
  size: 44,
  space: 72,
  values: [
    // Step in seconds, label, and what is added where year, month or day begins.
    [86_400 * 365, '{YYYY}', null, null, null, null, null, null, 1],
    [86_400 * 28, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
    [86_400, '{D} {MMM}', null, null, null, null, null, null, 1],
    [3_600, '{HH}:{mm}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
    [60, '{HH}:{mm}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
  ],
});

const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

export const valueAxis = ({ soft, line }: PlotColors, unit = ''): uPlot.Axis => ({
  stroke: soft,
  font: FONT,
  size: 48,
  gap: 4,
  space: 36,
  grid: { stroke: line, width: 1 },
  ticks: { show: false },
  values: (_, splits) => splits.map((value) => `${compact.format(value)}${unit}`),
});

/** From 0 to a little above the highest value, at least to `least`. */
export const fromZero =
  (least: number): uPlot.Range.Function =>
  (_, __, max) => [0, Math.max(least, (max ?? 0) * 1.08)];

/** Indices of values that have none beside them. */
export const lonePoints = ({ data }: uPlot, series: number): number[] => {
  const values = data[series] ?? [];
  return [...values].flatMap((value, i) =>
    value != null && values[i - 1] == null && values[i + 1] == null ? [i] : [],
  );
};

/** A line drawn through the pointer alone, and no zoom: the range picker does that. */
export const CURSOR: uPlot.Cursor = { drag: { x: false, y: false, setScale: false }, y: false };
