import { LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [number, number])[];
}

const SIZE = { width: 720, height: 360 } as const;

use([LineChart, GridComponent, LegendComponent, SVGRenderer]);

/** A plot of rates over the values of `axis`, on a logarithmic scale. */
export function plotSvg(axis: string, lines: readonly Line[]): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...SIZE });
  chart.setOption({
    animation: false,
    backgroundColor: 'white',
    legend: {},
    xAxis: { type: 'log', name: axis, nameLocation: 'middle', nameGap: 30 },
    yAxis: { type: 'value', name: 'requests/s' },
    series: lines.map(({ name, points }) => ({
      name,
      type: 'line',
      data: [...points].sort(([a], [b]) => a - b).map((point) => [...point]),
    })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
