import { read } from '../bench.ts';
import { ratios, type Sample, totalCpuUs } from '../measure/rounds.ts';
import { type Scenario, workspaceText } from './scenario.ts';

const WORKERS = [1, 2] as const;
const CONNECTIONS = 16;
const RATE_MIN = 1;
const CPU_MAX = 1.1;

/** One worker against two, with one active workspace and with all. The service starts again for each measurement. */
export const workers: Scenario = async ({ target, effort: { rounds, duration }, report }) => {
  const actives = [1, target.workspaces.length];
  const series = actives.map(() => WORKERS.map((): Sample[] => []));
  for (let round = 0; round < rounds; round++) {
    for (const [w, count] of WORKERS.entries()) {
      await target.restart({ SVC_WORKERS: String(count) });
      for (const [a, active] of actives.entries()) {
        const requests = target.workspaces.slice(0, active).map((workspace) => read('/v1/audits', workspace));
        // Warms up.
        await target.measure({ connections: CONNECTIONS, duration, requests });
        series[a]?.[w]?.push(await target.measure({ connections: CONNECTIONS, duration, requests }));
      }
    }
  }
  for (const [a, active] of actives.entries()) {
    const [one = [], two = []] = series[a] ?? [];
    report.series(`${workspaceText(active)}, 1 worker`, one, { workers: 1, active });
    report.series(`${workspaceText(active)}, 2 workers`, two, { workers: 2, active });
    report.verdict(`rate of two workers against one, ${workspaceText(active)}`, ratios(two, one, 'rate'), {
      least: RATE_MIN,
    });
    const cpuOfOne = totalCpuUs(one);
    report.verdict(
      `CPU per request of two workers against one, ${workspaceText(active)}`,
      totalCpuUs(two).map((us, round) => us / (cpuOfOne[round] ?? Number.NaN)),
      { most: CPU_MAX },
    );
  }
  await target.restart({});
};
