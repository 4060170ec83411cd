import type { Traffic } from '@svc/service/dashboard/wire';
import { useMemo } from 'react';
import { BarsPlot, type BarsPlotProps } from './bars-plot.tsx';

export interface TrafficPlotProps extends Pick<BarsPlotProps, 'onPoint'> {
  readonly traffic: Traffic;
}

/** The index of the bar of failed requests. */
export const FAILED_BAR = 2;

/** Live and test requests of each span as stacked bars, and in front of them the failed ones. */
export function RequestsPlot({
  traffic,
  onPoint,
  onChoose,
}: TrafficPlotProps & Pick<BarsPlotProps, 'onChoose'>) {
  const { step, spans, total } = traffic;
  const times = useMemo(() => spans.map(({ at }) => at), [spans]);
  const bars = useMemo(
    () =>
      [
        { label: 'Test', color: 'edge', values: spans.map(({ live, test }) => live + test) },
        { label: 'Live', color: 'accent', values: spans.map(({ live }) => live) },
        { label: 'Failed', color: 'bad', values: spans.map(({ errors }) => errors) },
      ] as const,
    [spans],
  );
  const label = `Requests per ${step}: ${total.live} live, ${total.test} test, ${total.errors} failed.`;
  return (
    <BarsPlot label={label} step={step} times={times} bars={bars} onPoint={onPoint} onChoose={onChoose} />
  );
}
