import { read, startBareServer } from '../bench.ts';
import type { LoadRequest } from '../measure/load.ts';
import { peakMemoryMb, processesOf } from '../measure/processes.ts';
import { alternate, ratios, type Series, totalCpuUs } from '../measure/rounds.ts';
import { spreadOver, type Workspace } from '../target/workspaces.ts';
import { type Scenario, workspaceText } from './scenario.ts';

const ACTIVE_WORKSPACES = [1, 10, 64, 1_000];
const BARE_RATE_MIN = { 16: 0.3, 64: 0.33 } as const;
const CPU_US_MAX = 250;
const P99_PER_P50_MAX = 3;
const RATE_OF_ALL_MIN = 0.9;
const WORKER_MEMORY_MB_MAX = 200;

/** Pages of 50 with live keys, over one and many active workspaces, next to the bare limit. */
export const pages: Scenario = async ({
  target,
  effort: { connections: counts, rounds, duration },
  report,
}) => {
  // What was needed to fill the workspaces does not count as memory of this load.
  await target.restart({});
  using bare = await startBareServer(target);
  const actives = ACTIVE_WORKSPACES.filter((count, i) => i === 0 || count <= target.workspaces.length);
  for (const connections of counts) {
    const subjects = actives.flatMap((active) => {
      const workspaces = spreadOver(target.workspaces, active);
      const label = `${workspaceText(active)}, ${connections} connections`;
      return [
        {
          active,
          kind: 'service',
          name: label,
          measure: () => target.measure({ connections, duration, requests: workspaces.map(servicePage) }),
        },
        {
          active,
          kind: 'bare',
          name: `${label}: bare`,
          measure: () => bare.measure({ connections, duration, requests: workspaces.map(barePage) }),
        },
      ];
    });
    const all = await alternate(subjects, rounds);
    for (const [i, { name, kind, active }] of subjects.entries())
      report.series(name, all[i] ?? [], { kind, active, connections });
    const seriesOf = (kind: string, active: number | undefined): Series =>
      all[subjects.findIndex((subject) => subject.kind === kind && subject.active === active)] ?? [];
    const most = actives.at(-1) ?? 1;
    const service = seriesOf('service', most);
    const at = `${workspaceText(most)}, ${connections} connections`;
    const least = BARE_RATE_MIN[connections < 64 ? 16 : 64];
    report.verdict(`rate against the bare limit, ${at}`, ratios(service, seriesOf('bare', most), 'rate'), {
      least,
    });
    report.verdict(`CPU per request, ${at}`, totalCpuUs(service), { most: CPU_US_MAX }, 'µs');
    report.verdict(
      `p99 against p50, ${at}`,
      service.map(({ p50Ms, p99Ms }) => p99Ms / p50Ms),
      { most: P99_PER_P50_MAX },
    );
    report.verdict(
      `rate against one workspace, ${at}`,
      ratios(service, seriesOf('service', actives[0]), 'rate'),
      {
        least: RATE_OF_ALL_MIN,
      },
    );
  }
  report.verdict(
    'most memory of a process of the service under this load',
    [Math.max(...processesOf(target.serviceTree).map(peakMemoryMb))],
    { most: WORKER_MEMORY_MB_MAX },
    'MB',
  );
};

const servicePage = (workspace: Workspace): LoadRequest => read('/v1/audits', workspace);
const barePage = ({ id }: Workspace): LoadRequest => ({ method: 'GET', path: `/${id}` });
