import { startBareServer, write } from '../bench.ts';
import type { LoadRequest } from '../measure/load.ts';
import { alternate, ratios } from '../measure/rounds.ts';
import { audit } from '../target/records.ts';
import type { Workspace } from '../target/workspaces.ts';
import { type Scenario, workspaceText } from './scenario.ts';

const RATE_OF_ALL_MIN = 0.9;

/** Creates of single audits in one and in all workspaces, next to an insert without a service. */
export const creates: Scenario = async ({
  target,
  effort: { connections: counts, rounds, duration },
  report,
}) => {
  using bare = await startBareServer(target);
  for (const connections of counts) {
    const load = (workspaces: readonly Workspace[], request: (workspace: Workspace) => LoadRequest) => ({
      connections,
      duration,
      requests: workspaces.map(request),
    });
    const all = target.workspaces;
    const one = all.slice(0, 1);
    const [ofOne = [], ofAll = [], ofBare = []] = await alternate(
      [
        { name: 'one', measure: () => target.measure(load(one, serviceCreate)) },
        { name: 'all', measure: () => target.measure(load(all, serviceCreate)) },
        { name: 'bare', measure: () => bare.measure(load(all, bareCreate)) },
      ],
      rounds,
    );
    const at = `${connections} connections`;
    report.series(`${workspaceText(1)}, ${at}`, ofOne, { kind: 'service', active: 1, connections });
    report.series(`${workspaceText(all.length)}, ${at}`, ofAll, {
      kind: 'service',
      active: all.length,
      connections,
    });
    report.series(`${workspaceText(all.length)}, ${at}: bare`, ofBare, {
      kind: 'bare',
      active: all.length,
      connections,
    });
    report.verdict(
      `creates in ${workspaceText(all.length)} against one, ${at}`,
      ratios(ofAll, ofOne, 'rate'),
      {
        least: RATE_OF_ALL_MIN,
      },
    );
  }
};

const serviceCreate = (workspace: Workspace): LoadRequest =>
  write('/v1/audits', workspace, audit(0, workspace.companies));
const bareCreate = ({ id, companies }: Workspace): LoadRequest => ({
  method: 'POST',
  path: `/${id}`,
  body: JSON.stringify(audit(0, companies)),
});
