import { read } from '../bench.ts';
import { type LoadRequest, runLoad } from '../measure/load.ts';
import { alternate, ratios } from '../measure/rounds.ts';
import type { Scenario } from './scenario.ts';

const POLITE_CONNECTIONS = 4;
const NEIGHBOUR_CONNECTIONS = 64;
/** The path that the neighbour requests. Null: there is no neighbour. */
const NEIGHBOURS = {
  'no neighbour': null,
  'a neighbour that reads pages': '/v1/audits',
  'a neighbour that counts': '/v1/audits/count',
};

/**
 * A workspace that reads pages over 4 connections, next to another one that sends as much as it can over 64. Rates and
 * latencies are those of the first; CPU per request includes the neighbour's.
 */
export const neighbours: Scenario = async ({ target, effort: { rounds, duration }, report }) => {
  const [hostile, polite] = target.workspaces;
  if (hostile === undefined || polite === undefined) throw new Error('At least 2 workspaces are needed.');
  const subjects = Object.entries(NEIGHBOURS).map(([name, path]) => ({
    name,
    measure: () => {
      const { origin } = target.service;
      const load = (connections: number, request: LoadRequest) =>
        runLoad({ origin, connections, duration, requests: [request] });
      return target.measureWork(async () => {
        const [own] = await Promise.all([
          load(POLITE_CONNECTIONS, read('/v1/audits', polite)),
          path === null ? undefined : load(NEIGHBOUR_CONNECTIONS, read(path, hostile)),
        ]);
        return own;
      });
    },
  }));
  const all = await alternate(subjects, rounds);
  for (const [i, { name }] of subjects.entries()) {
    report.series(name, all[i] ?? []);
    if (i > 0)
      report.verdict(`rate with ${name}, against none`, ratios(all[i] ?? [], all[0] ?? [], 'rate'), null);
  }
};
