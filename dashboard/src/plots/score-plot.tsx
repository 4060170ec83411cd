import type { Scores } from '@svc/service/dashboard/wire';
import { useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import { CURSOR, PLOT_HEIGHT, secondsOf, timeAxis, valueAxis } from './axes.ts';
import { Plot, type PlotColors, usePlotZone } from './plot.tsx';

/** A line with at most this many points also shows the points. */
const FEW_POINTS = 10;

/** Colours of the lines. The lines also differ in their dashes, for people who cannot tell the colours apart. */
export const LINE_VARIABLES = ['accent', 'good', 'warn', 'bad', 'ink', 'soft'] as const;
export const LINE_DASHES: readonly (readonly number[])[] = [
  [],
  [6, 3],
  [2, 3],
  [10, 3, 2, 3],
  [4, 4],
  [1, 2],
];

/** Headline scores (0 to 100) over time, one line per company. */
export function ScorePlot({ scores: { times, companies } }: { readonly scores: Scores }) {
  const zone = usePlotZone();
  const data = useMemo(
    (): uPlot.AlignedData => [secondsOf(times), ...companies.map(({ scores }) => [...scores])],
    [times, companies],
  );
  const options = useCallback(
    (colors: PlotColors): Omit<uPlot.Options, 'width' | 'height'> => ({
      padding: [8, 24, 0, 0],
      legend: { show: false },
      cursor: CURSOR,
      scales: { y: { range: [0, 100] } },
      axes: [timeAxis(colors), valueAxis(colors)],
      series: [
        {},
        ...companies.map(({ name, scores }, i) => ({
          label: name,
          stroke: colors[LINE_VARIABLES[i] ?? 'ink'],
          width: 2,
          dash: [...(LINE_DASHES[i] ?? [])],
          spanGaps: true,
          points: { show: companies.length === 1 || pointsOf(scores) <= FEW_POINTS, size: 5 },
        })),
      ],
    }),
    [companies],
  );
  return <Plot label={describe(companies)} zone={zone} data={data} options={options} height={PLOT_HEIGHT} />;
}

const pointsOf = (scores: readonly (number | null)[]): number =>
  scores.filter((score) => score !== null).length;

function describe(companies: Scores['companies']): string {
  const lines = companies.map(({ name, scores }) => {
    const known = scores.filter((score) => score !== null);
    const [first, last] = [known[0], known.at(-1)];
    return first === undefined ? `${name}: no audits` : `${name}: from ${first} to ${last}`;
  });
  return `Headline score over time. ${lines.join('. ')}.`;
}
