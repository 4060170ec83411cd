import { useMemo } from 'react';
import { LatencyLines } from './latency-lines.tsx';
import type { TrafficPlotProps } from './requests-plot.tsx';

/** The median and the 95th percentile of the latency over time. */
export function LatencyPlot({ traffic, onPoint }: TrafficPlotProps) {
  const { spans, step, total } = traffic;
  const times = useMemo(() => spans.map(({ at }) => at), [spans]);
  const lines = useMemo(
    () =>
      [
        { label: 'p50', color: 'accent', values: spans.map(({ p50 }) => p50) },
        { label: 'p95', color: 'warn', values: spans.map(({ p95 }) => p95) },
      ] as const,
    [spans],
  );
  const summary = total.p50 === null ? 'no requests' : `p50 ${total.p50} ms, p95 ${total.p95} ms`;
  return (
    <LatencyLines
      label={`Latency per ${step}: ${summary}.`}
      step={step}
      times={times}
      lines={lines}
      onPoint={onPoint}
    />
  );
}
