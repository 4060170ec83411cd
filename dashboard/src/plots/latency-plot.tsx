import { useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import { CURSOR, fromZero, lonePoints, timeAxis, valueAxis } from './axes.ts';
import { Plot, type PlotColors } from './plot.tsx';
import { secondsOf, type TrafficPlotProps } from './requests-plot.tsx';

const HEIGHT = 220;
const LEAST_MS = 10;
/** A value without a neighbour has no line, so it gets a point. */
const LONE_POINTS: uPlot.Series.Points = { show: true, size: 6, filter: lonePoints };

/** The median and the 95th percentile of the latency over time. */
export function LatencyPlot({ traffic, onPoint }: TrafficPlotProps) {
  const data = useMemo(
    (): uPlot.AlignedData => [
      secondsOf(traffic),
      traffic.spans.map(({ p50 }) => p50),
      traffic.spans.map(({ p95 }) => p95),
    ],
    [traffic],
  );
  const options = useCallback(
    (colors: PlotColors): Omit<uPlot.Options, 'width' | 'height'> => ({
      padding: [8, 24, 0, 0],
      legend: { show: false },
      cursor: CURSOR,
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
      scales: { y: { range: fromZero(LEAST_MS) } },
      axes: [timeAxis(colors), valueAxis(colors, ' ms')],
      series: [
        {},
        { label: 'p50', stroke: colors.accent, width: 2, points: LONE_POINTS },
        { label: 'p95', stroke: colors.warn, width: 2, dash: [6, 3], points: LONE_POINTS },
      ],
    }),
    [onPoint],
  );
  const { p50, p95 } = traffic.total;
  const total = p50 === null ? 'no requests' : `p50 ${p50} ms, p95 ${p95} ms`;
  const label = `Latency per ${traffic.step}: ${total}.`;
  return <Plot label={label} data={data} options={options} height={HEIGHT} />;
}
