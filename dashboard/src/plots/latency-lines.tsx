import type { Time } from '@svc/sdk';
import { useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import { CURSOR, fromZero, lonePoints, PLOT_HEIGHT, secondsOf, timeAxis, valueAxis } from './axes.ts';
import { Plot, type PlotColors, usePlotZone } from './plot.tsx';

const LEAST_MS = 10;
/** A value without a neighbour has no line, so it gets a point. */
const LONE_POINTS: uPlot.Series.Points = { show: true, size: 6, filter: lonePoints };
/** The first line is solid, the second is dashed. */
const DASHES = [[], [6, 3]];

export interface LatencyLinesProps {
  /** What the plot shows, in a sentence, for screen readers. */
  readonly label: string;
  /** The length of a span. */
  readonly step: 'hour' | 'day';
  /** The start of each span, the oldest first. Memoise it. */
  readonly times: readonly Time[];
  /** In milliseconds; null: a gap. Memoise it. */
  readonly lines: readonly {
    readonly label: string;
    readonly color: keyof PlotColors;
    readonly values: readonly (number | null)[];
  }[];
  /** Called with the index of the span at the pointer, or null. Memoise it. */
  readonly onPoint: (index: number | null) => void;
}

/** Up to two percentiles of latencies over time. */
export function LatencyLines({ label, step, times, lines, onPoint }: LatencyLinesProps) {
  const zone = usePlotZone(step);
  const data = useMemo(
    (): uPlot.AlignedData => [secondsOf(times), ...lines.map(({ values }) => [...values])],
    [times, lines],
  );
  const options = useCallback(
    (colors: PlotColors): Omit<uPlot.Options, 'width' | 'height'> => ({
      padding: [8, 24, 0, 0],
      legend: { show: false },
      cursor: CURSOR,
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
      scales: { y: { range: fromZero(LEAST_MS) } },
      axes: [timeAxis(colors, step), valueAxis(colors, ' ms')],
      series: [
        {},
        ...lines.map((line, i) => ({
          label: line.label,
          stroke: colors[line.color],
          width: 2,
          dash: [...(DASHES[i] ?? [])],
          points: LONE_POINTS,
        })),
      ],
    }),
    [lines, step, onPoint],
  );
  return <Plot label={label} zone={zone} data={data} options={options} height={PLOT_HEIGHT} />;
}
