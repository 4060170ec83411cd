import type { Duration } from './measure/load.ts';
import { plotSvg } from './plot.ts';
import {
  barText,
  describeFailure,
  figure,
  type Measurement,
  markOf,
  type Results,
  spreadText,
} from './report.ts';

/** The results of a run, with its circumstances. */
export interface Run extends Results {
  readonly date: string;
  /** Of the service. */
  readonly commit: string;
  readonly machine: Readonly<Record<'cpu' | 'cores' | 'memoryGb' | 'node' | 'postgresql', string | number>>;
  readonly workspaces: number;
  readonly audits: number;
  readonly rounds: number;
  readonly duration: Duration;
}

/** Reads the results that `--json` has written. JSON has no NaN: what was not measured is null there. */
export const readRun = (json: string): Run =>
  JSON.parse(json, (key, value: unknown) => (value === null && key !== 'bar' ? Number.NaN : value)) as Run;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** The tables of a run, as Markdown. */
export function describeRun({
  date,
  commit,
  machine,
  workspaces,
  audits,
  rounds,
  duration,
  verdicts,
  measurements,
  failures,
}: Run): string {
  const { cpu, cores, memoryGb, node, postgresql } = machine;
  const bars = verdicts.map((verdict) => [
    verdict.scenario,
    verdict.what,
    spreadText(verdict.value, verdict.unit),
    verdict.bar === null ? '' : barText(verdict.bar, verdict.unit),
    markOf(verdict),
  ]);
  const rows = measurements.map((measurement) => [
    measurement.scenario,
    measurement.name,
    spreadText(measurement.rate),
    figure(measurement.p50Ms.median),
    figure(measurement.p95Ms.median),
    figure(measurement.p99Ms.median),
    figure(measurement.nodeUs.median),
    figure(measurement.postgresUs.median),
  ]);
  return `### PostgreSQL ${postgresql}

Commit ${commit}, ${date.slice(0, 10)}: ${cores} × ${cpu}, ${memoryGb} GB of memory, Node.js ${node}; ${figure(workspaces)} workspaces with
${figure(audits)} audits; ${rounds} rounds of ${'seconds' in duration ? `${duration.seconds} s` : `${duration.amount} requests`}.

${failures.map((failure) => `${describeFailure(failure)}\n\n`).join('')}#### Bars

${table(['Scenario', 'What', 'Measured', 'Bar', ''], bars)}

#### Measurements

Rate: requests or records per second. CPU: µs per request or record.

${table(['Scenario', 'What', 'Rate', 'p50, ms', 'p95, ms', 'p99, ms', 'CPU of Node.js', 'CPU of PostgreSQL'], rows)}
`;
}

/** A line of a plot: its points are the rates of the measurements, at the value of a parameter. */
const lineOf = (name: string, measurements: readonly Measurement[], param: string) => ({
  name,
  points: measurements.map(({ params, rate }): readonly [number, number] => [
    Number(params[param]),
    rate.median,
  ]),
});

/** The plots of a run, as SVG, by the names of their files. */
export function plotsOf({ measurements }: Run): Readonly<Record<string, string>> {
  const ofPages = measurements.filter(({ scenario }) => scenario === 'pages');
  const lines = Map.groupBy(
    ofPages,
    ({ params }) => `${params['kind']}, ${params['connections']} connections`,
  );
  const bySize = measurements.filter(({ scenario, params }) => scenario === 'sizes' && 'audits' in params);
  return {
    workspaces: plotSvg(
      'Active workspaces',
      [...lines].map(([name, line]) => lineOf(name, line, 'active')),
    ),
    sizes: plotSvg('Audits of the workspace', [lineOf('first page, 16 connections', bySize, 'audits')]),
  };
}
