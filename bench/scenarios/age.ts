import { CONTRACT, type ResourceContract, sortsOf } from '@svc/sdk/contract';
import { read, write } from '../bench.ts';
import type { Duration, LoadRequest } from '../measure/load.ts';
import { alternate, ratios } from '../measure/rounds.ts';
import { audit, company } from '../target/records.ts';
import type { Workspace } from '../target/workspaces.ts';
import { importFile } from './bulk.ts';
import { measureRequests } from './pair.ts';
import type { Scenario } from './scenario.ts';

const RATE_MIN = 0.9;
/** The audits that an import adds, as a share of those of the workspace. */
const IMPORTED_SHARE = 0.2;

/** A workspace that is newer than the statistics, against one of the same size that is older, in every kind of request. */
export const age: Scenario = async (context) => {
  const { target, effort, report } = context;
  const { old, fresh } = agePair(target.workspaces);
  const paths = Object.values<ResourceContract>(CONTRACT).flatMap(listsOf);
  const requests: readonly (readonly [
    string,
    (workspace: Workspace) => Promise<LoadRequest> | LoadRequest,
  ])[] = [
    ...paths.map((path) => [path, (workspace: Workspace) => read(path, workspace)] as const),
    ['/v1/audits/ID', readRecord(target.service.origin)],
    ['/v1/audits/count', (workspace) => read('/v1/audits/count', workspace)],
    [
      '/v1/audits/count?approximate=true',
      (workspace) => read('/v1/audits/count?approximate=true', workspace),
    ],
    ['POST /v1/audits', (workspace) => write('/v1/audits', workspace, audit(0, workspace.companies))],
  ];
  const shorter = { ...context, effort: { ...effort, duration: halfOf(effort.duration) } };
  for (const [name, request] of requests) {
    const [oldName, newName] = [`${name}, old workspace`, `${name}, new workspace`];
    const measured = await measureRequests(shorter, {
      [oldName]: await request(old),
      [newName]: await request(fresh),
    });
    report.verdict(
      `new workspace against an old one, ${name}`,
      ratios(measured[newName] ?? [], measured[oldName] ?? [], 'rate'),
      { least: RATE_MIN },
    );
  }
  const audits = Math.ceil(fresh.audits * IMPORTED_SHARE);
  const importInto = (workspace: Workspace) => async () =>
    (await importFile(target, workspace, audits)).sample;
  const [intoOld = [], intoNew = []] = await alternate(
    [
      { name: 'old', measure: importInto(old) },
      { name: 'new', measure: importInto(fresh) },
    ],
    effort.rounds,
  );
  report.series(`import of ${audits}, old workspace`, intoOld);
  report.series(`import of ${audits}, new workspace`, intoNew);
  report.verdict('new workspace against an old one, import', ratios(intoNew, intoOld, 'rate'), {
    least: RATE_MIN,
  });
};

/** There are many requests to measure. */
const halfOf = (duration: Duration): Duration =>
  'seconds' in duration ? { seconds: duration.seconds / 2 } : duration;

/** Two large workspaces of the same size, one of them newer than the statistics. */
export function agePair(workspaces: readonly Workspace[]): {
  readonly old: Workspace;
  readonly fresh: Workspace;
} {
  const fresh = workspaces.find((workspace) => workspace.fresh);
  const old = workspaces.find((workspace) => !workspace.fresh && workspace.audits === fresh?.audits);
  if (fresh === undefined || old === undefined) throw new Error('At least 6 workspaces are needed.');
  return { old, fresh };
}

/** Every list of a resource: each sort in its descending order, alone and with each filter. */
function listsOf(resource: ResourceContract): readonly string[] {
  const sorts = sortsOf(resource)
    .filter((sort) => sort.endsWith('descending'))
    .map((sort) => ({ sort }));
  const filters = Object.entries(resource.filters).flatMap(([name, field]) => {
    if (name === 'companyId') return [{ [name]: String(company(1)['id']) }];
    return field.kind === 'choice' ? [{ [name]: field.values[0] ?? '' }] : [];
  });
  return (sorts.length === 0 ? [{}] : sorts).flatMap((sort) =>
    [{}, ...filters].map((filter) => {
      const query = new URLSearchParams({ ...sort, ...filter });
      return `/v1/${resource.name}${query.size > 0 ? `?${query}` : ''}`;
    }),
  );
}

const readRecord =
  (origin: string) =>
  async (workspace: Workspace): Promise<LoadRequest> =>
    read(`/v1/audits/${await someAudit(origin, workspace)}`, workspace);

/** The id of an audit of the workspace. */
export async function someAudit(origin: string, { token }: Workspace): Promise<string> {
  const response = await fetch(`${origin}/v1/audits?limit=1`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { data } = (await response.json()) as { readonly data: readonly { readonly id: string }[] };
  return data[0]?.id ?? '';
}
