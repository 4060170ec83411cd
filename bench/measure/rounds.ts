/** What one round of a measurement gives. */
export interface Sample {
  /** Requests or records per second. */
  readonly rate: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** CPU time per request or record, of all processes of Node.js and of PostgreSQL. */
  readonly nodeUs: number;
  readonly postgresUs: number;
}

/** Something that is measured, round by round. */
export interface Subject {
  readonly name: string;
  readonly measure: () => Promise<Sample>;
}

/** The samples of a subject, one for each round. */
export type Series = readonly Sample[];

/**
 * Measures all subjects in each round, in turn from first to last and from last to first, so that other load of the machine
 * and what a subject leaves behind affect all alike. A round before warms up.
 */
export async function alternate(subjects: readonly Subject[], rounds: number): Promise<readonly Series[]> {
  const series = subjects.map((): Sample[] => []);
  for (let round = 0; round <= rounds; round++) {
    const forward = [...subjects.entries()];
    for (const [i, { measure }] of round % 2 === 0 ? forward : forward.reverse()) {
      const sample = await measure();
      if (round > 0) series[i]?.push(sample);
    }
  }
  return series;
}

/** The median, and the least and greatest value. NaN: a value is missing. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly greatest: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.some(Number.isNaN) ? [] : values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    least: at(0),
    greatest: at(sorted.length - 1),
  };
}

/** The ratio of a field of two series, round by round. */
export const ratios = (a: Series, b: Series, field: keyof Sample): readonly number[] =>
  a.map((sample, round) => sample[field] / (b[round]?.[field] ?? Number.NaN));

export const totalCpuUs = (series: Series): readonly number[] =>
  series.map(({ nodeUs, postgresUs }) => nodeUs + postgresUs);
