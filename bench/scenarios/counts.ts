import { read } from '../bench.ts';
import { ratios } from '../measure/rounds.ts';
import { someAudit } from './age.ts';
import { measureRequests } from './pair.ts';
import type { Scenario } from './scenario.ts';

const LATENCY_MAX = 1.2;

/** The counts of the largest workspace, against a single record. */
export const counts: Scenario = async (context) => {
  const { workspaces, service } = context.target;
  const [largest] = workspaces;
  if (largest === undefined) return;
  const { record, ...measured } = await measureRequests(context, {
    record: read(`/v1/audits/${await someAudit(service.origin, largest)}`, largest),
    'exact count': read('/v1/audits/count', largest),
    'approximate count': read('/v1/audits/count?approximate=true', largest),
  });
  for (const [name, series] of Object.entries(measured))
    context.report.verdict(
      `latency of an ${name} of ${largest.audits}, against a single record`,
      ratios(series, record, 'p50Ms'),
      { most: LATENCY_MAX },
    );
};
