import { type Sample, type Series, type Spread, spreadOf } from './measure/rounds.ts';

/** The least or the greatest value that is good enough. */
export type Bar = { readonly least: number } | { readonly most: number };

export type Params = Readonly<Record<string, string | number>>;

/** What was measured, as `--json` prints it. */
export interface Measurement extends Readonly<Record<keyof Sample, Spread>> {
  readonly scenario: string;
  readonly name: string;
  readonly params: Params;
}

/** A value, and the bar that it has to meet. */
export interface Verdict {
  readonly scenario: string;
  readonly what: string;
  readonly value: Spread;
  readonly unit: string;
  /** Null: it has none. */
  readonly bar: Bar | null;
  /** Whether the median meets the bar. True if there is none. */
  readonly met: boolean;
}

/** A scenario that ended with an error. Its later figures are missing. */
interface Failure {
  readonly scenario: string;
  readonly reason: string;
}

export interface Results {
  readonly measurements: readonly Measurement[];
  readonly verdicts: readonly Verdict[];
  readonly failures: readonly Failure[];
}

/** Collects the results of one scenario, and prints them. */
export interface Report {
  readonly series: (name: string, series: Series, params?: Params) => void;
  /** `unit`: default, a ratio. */
  readonly verdict: (what: string, values: readonly number[], bar: Bar | null, unit?: string) => void;
  /** The scenario has ended with this error. */
  readonly failure: (error: unknown) => void;
}

export interface Reports {
  readonly of: (scenario: string) => Report;
  readonly results: Results;
}

const NAME_WIDTH = 52;
const MARK_WIDTH = 7;

/** `say` prints a line. */
export function createReports(say: (line: string) => void): Reports {
  const measurements: Measurement[] = [];
  const verdicts: Verdict[] = [];
  const failures: Failure[] = [];
  return {
    results: { measurements, verdicts, failures },
    of: (scenario) => ({
      series: (name, series, params = {}) => {
        const of = (field: keyof Sample): Spread => spreadOf(series.map((sample) => sample[field]));
        const measurement: Measurement = {
          scenario,
          name,
          params,
          rate: of('rate'),
          p50Ms: of('p50Ms'),
          p95Ms: of('p95Ms'),
          p99Ms: of('p99Ms'),
          nodeUs: of('nodeUs'),
          postgresUs: of('postgresUs'),
        };
        measurements.push(measurement);
        say(describeMeasurement(measurement));
      },
      verdict: (what, values, bar, unit = '') => {
        const value = spreadOf(values);
        const met = bar === null || ('least' in bar ? value.median >= bar.least : value.median <= bar.most);
        const verdict: Verdict = { scenario, what, value, unit, bar, met };
        verdicts.push(verdict);
        say(describeVerdict(verdict));
      },
      failure: (error) => {
        const failure = { scenario, reason: error instanceof Error ? error.message : String(error) };
        failures.push(failure);
        say(describeFailure(failure));
      },
    }),
  };
}

/** The decimals that make sense for a number of this size. */
export const figure = (value: number): string =>
  Number.isNaN(value)
    ? '–'
    : value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });

export const spreadText = ({ median, least, greatest }: Spread, unit = ''): string =>
  `${figure(median)}${unit && ` ${unit}`} (${figure(least)} to ${figure(greatest)})`;

export const barText = (bar: Bar, unit = ''): string =>
  `at ${'least' in bar ? `least ${figure(bar.least)}` : `most ${figure(bar.most)}`}${unit && ` ${unit}`}`;

function describeMeasurement({ name, rate, p50Ms, p99Ms, nodeUs, postgresUs }: Measurement): string {
  const latency = Number.isNaN(p50Ms.median)
    ? ''
    : `   p50 ${figure(p50Ms.median)} ms   p99 ${figure(p99Ms.median)} ms`;
  const cpu = `   CPU ${figure(nodeUs.median)} + ${figure(postgresUs.median)} µs`;
  return `  ${name.padEnd(NAME_WIDTH)} ${spreadText(rate)}/s${latency}${cpu}`;
}

/** What was not measured after the scenario failed, for people. */
export const describeFailure = ({ scenario, reason }: Failure): string =>
  `The scenario ${scenario} failed, and its later figures are missing: ${reason}`;

const describeVerdict = (verdict: Verdict): string => {
  const { what, value, unit, bar } = verdict;
  return `${markOf(verdict).padEnd(MARK_WIDTH)} ${what}: ${spreadText(value, unit)}${bar === null ? '' : `; ${barText(bar, unit)}`}`;
};

/** Whether the bar is `met` or `missed`. `missing`: there is no value. Empty if there is no bar. */
export const markOf = ({ bar, met, value }: Pick<Verdict, 'bar' | 'met' | 'value'>): string =>
  Number.isNaN(value.median) ? 'missing' : bar === null ? '' : met ? 'met' : 'missed';
