import type { Traffic } from '@svc/service/dashboard/wire';
import { useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import { CURSOR, fromZero, timeAxis, valueAxis } from './axes.ts';
import { Plot, type PlotColors } from './plot.tsx';

const HEIGHT = 220;
/** Width of a bar as a share of its span, and at most in pixels. */
const BAR_WIDTH = 0.72;
const BAR_MAX_PIXELS = 44;
const LEAST = 4;

export interface TrafficPlotProps {
  readonly traffic: Traffic;
  /** Called with the index of the span at the pointer, or null. Memoise it. */
  readonly onPoint: (index: number | null) => void;
}

export const secondsOf = ({ spans }: Traffic): number[] => spans.map(({ at }) => Date.parse(at) / 1000);

/** Live and test requests of each span as stacked bars, and in front of them the failed ones. */
export function RequestsPlot({ traffic, onPoint }: TrafficPlotProps) {
  const data = useMemo((): uPlot.AlignedData => {
    const { spans } = traffic;
    return [
      secondsOf(traffic),
      spans.map(({ live, test }) => live + test),
      spans.map(({ live }) => live),
      spans.map(({ errors }) => errors),
    ];
  }, [traffic]);
  const options = useCallback(
    (colors: PlotColors, { paths }: typeof uPlot): Omit<uPlot.Options, 'width' | 'height'> => {
      const bars = paths.bars?.({ size: [BAR_WIDTH, BAR_MAX_PIXELS], align: 1, radius: 0.1 });
      const series = (label: string, fill: string): uPlot.Series => ({
        label,
        fill,
        width: 0,
        points: { show: false },
        ...(bars === undefined ? {} : { paths: bars }),
      });
      return {
        padding: [8, 24, 0, 0],
        legend: { show: false },
        cursor: CURSOR,
        hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
        scales: {
          x: { range: (_, min, max) => [min, max + stepOf(traffic)] },
          y: { range: fromZero(LEAST) },
        },
        axes: [timeAxis(colors), valueAxis(colors)],
        series: [
          {},
          series('Test', colors.edge),
          series('Live', colors.accent),
          series('Failed', colors.bad),
        ],
      };
    },
    [traffic, onPoint],
  );
  const { live, test, errors } = traffic.total;
  const label = `Requests per ${traffic.step}: ${live} live, ${test} test, ${errors} failed.`;
  return <Plot label={label} data={data} options={options} height={HEIGHT} />;
}

const SECONDS = { hour: 3_600, day: 86_400 } as const;
const stepOf = ({ step }: Traffic): number => SECONDS[step];
