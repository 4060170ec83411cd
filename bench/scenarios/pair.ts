import type { LoadRequest } from '../measure/load.ts';
import { alternate, type Sample, type Series } from '../measure/rounds.ts';
import type { Params } from '../report.ts';
import type { Context } from './scenario.ts';

/** Measures requests alternately, and reports each series. */
export async function measureRequests<Name extends string>(
  { target, effort: { rounds, duration }, report }: Context,
  requests: Readonly<Record<Name, LoadRequest>>,
  params: Partial<Readonly<Record<Name, Params>>> = {},
  connections = CONNECTIONS,
): Promise<Readonly<Record<Name, Series>>> {
  const names = Object.keys(requests) as Name[];
  const load = (name: Name) => ({ connections, duration, requests: [requests[name]] });
  const subjects = names.map((name) => ({
    name,
    measure: (): Promise<Sample> => target.measure(load(name)),
  }));
  const all = await alternate(subjects, rounds);
  const series = Object.fromEntries(names.map((name, i) => [name, all[i] ?? []])) as Record<Name, Series>;
  for (const name of names) report.series(name, series[name], params[name]);
  return series;
}

const CONNECTIONS = 16;
