import type { Time } from '@svc/sdk';
import { useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import { CURSOR, fromZero, PLOT_HEIGHT, secondsOf, timeAxis, valueAxis } from './axes.ts';
import { Plot, type PlotColors, usePlotZone } from './plot.tsx';

/** Width of a bar as a share of its span, and at most in pixels. */
const BAR_WIDTH = 0.72;
const BAR_MAX_PIXELS = 44;
const LEAST = 4;
const STEP_SECONDS = { hour: 3_600, day: 86_400 } as const;

export interface BarsPlotProps {
  /** What the plot shows, in a sentence, for screen readers. */
  readonly label: string;
  /** The length of a span. */
  readonly step: keyof typeof STEP_SECONDS;
  /** The start of each span, the oldest first. Memoise it. */
  readonly times: readonly Time[];
  /** A bar per span each, with the later ones in front. Memoise it. */
  readonly bars: readonly {
    readonly label: string;
    readonly color: keyof PlotColors;
    readonly values: readonly number[];
  }[];
  /** Called with the index of the span at the pointer, or null. Memoise it. */
  readonly onPoint: (index: number | null) => void;
  /** Called with the index of the span and of the bar, when one is clicked. Memoise it. Default: a click does nothing. */
  readonly onChoose?: ((span: number, bar: number) => void) | undefined;
}

/** Numbers per span of time, as bars. */
export function BarsPlot({ label, step, times, bars, onPoint, onChoose }: BarsPlotProps) {
  const zone = usePlotZone(step);
  const data = useMemo(
    (): uPlot.AlignedData => [secondsOf(times), ...bars.map(({ values }) => [...values])],
    [times, bars],
  );
  const options = useCallback(
    (colors: PlotColors, { paths }: typeof uPlot): Omit<uPlot.Options, 'width' | 'height'> => {
      const shape = paths.bars?.({ size: [BAR_WIDTH, BAR_MAX_PIXELS], align: 1, radius: 0.1 });
      return {
        padding: [8, 24, 0, 0],
        legend: { show: false },
        cursor: CURSOR,
        hooks: {
          setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)],
          ready: onChoose === undefined ? [] : [(plot) => watchClicks(plot, bars, onChoose)],
        },
        scales: {
          x: { range: (_, min, max) => [min, max + STEP_SECONDS[step]] },
          y: { range: fromZero(LEAST) },
        },
        axes: [timeAxis(colors, step), valueAxis(colors)],
        series: [
          {},
          ...bars.map((bar) => ({
            label: bar.label,
            fill: colors[bar.color],
            width: 0,
            points: { show: false },
            ...(shape === undefined ? {} : { paths: shape }),
          })),
        ],
      };
    },
    [bars, step, onPoint, onChoose],
  );
  return <Plot label={label} zone={zone} data={data} options={options} height={PLOT_HEIGHT} />;
}

/** Calls `onChoose` with the bar at the pointer. A click above all bars of a span chooses the one at the back. */
function watchClicks(
  { over, cursor, posToVal }: uPlot,
  bars: BarsPlotProps['bars'],
  onChoose: NonNullable<BarsPlotProps['onChoose']>,
): void {
  over.style.cursor = 'pointer';
  over.addEventListener('click', () => {
    const { idx, top = 0 } = cursor;
    if (idx == null) return;
    const value = posToVal(top, 'y');
    const at = bars.findLastIndex(({ values }) => (values[idx] ?? 0) > 0 && (values[idx] ?? 0) >= value);
    onChoose(idx, Math.max(0, at));
  });
}
