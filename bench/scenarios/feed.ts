import { Svc } from '@svc/sdk';
import { read, type Target, write } from '../bench.ts';
import { percentilesOf, sinceCommitMs } from '../measure/latencies.ts';
import type { Duration } from '../measure/load.ts';
import { alternate, ratios } from '../measure/rounds.ts';
import { audit } from '../target/records.ts';
import { spreadOver, type Workspace } from '../target/workspaces.ts';
import type { Scenario } from './scenario.ts';

const CONNECTIONS = 16;
const ACTIVE_WORKSPACES = 64;
const MS_PER_SECOND = 1_000;

/**
 * Pages of the change feed next to pages of audits, and how long after its commit a change reaches a program that follows
 * the feed while another one writes.
 */
export const feed: Scenario = async ({ target, effort: { rounds, duration }, report }) => {
  const workspaces = spreadOver(target.workspaces, ACTIVE_WORKSPACES);
  const page = (path: string) => () =>
    target.measure({
      connections: CONNECTIONS,
      duration,
      requests: workspaces.map((workspace) => read(path, workspace)),
    });
  const [ofAudits = [], ofChanges = [], ofRows = []] = await alternate(
    [
      { name: 'audits', measure: page('/v1/audits') },
      { name: 'changes', measure: page('/v1/changes') },
      { name: 'changes of a resource', measure: page('/v1/changes?resource=companies') },
    ],
    rounds,
  );
  report.series('pages of audits', ofAudits);
  report.series('pages of changes', ofChanges);
  report.series('pages of changes, of companies only', ofRows);
  report.verdict('pages of changes against pages of audits', ratios(ofChanges, ofAudits, 'rate'), null);

  const [workspace] = target.workspaces;
  if (workspace === undefined) throw new Error('There is no workspace.');
  const followed = await alternate(
    (['tail', 'stream'] as const).map((how) => ({
      name: how,
      measure: () => target.measureWork(() => follow(target, workspace, how, duration)),
    })),
    rounds,
  );
  for (const [i, how] of ['a tail', 'a stream'].entries())
    report.series(`from the commit to ${how}`, followed[i] ?? []);
};

/** Writes audits one after the other, and follows the feed. The latency is the time from a commit to the arrival. */
async function follow(
  { service: { origin } }: Target,
  workspace: Workspace,
  how: 'tail' | 'stream',
  duration: Duration,
) {
  const svc = new Svc({ apiKey: workspace.token, baseUrl: origin });
  const changes = svc.changes[how]({ after: 'now' });
  await changes.begin();
  const latenciesMs: number[] = [];
  const begun = performance.now();
  const goesOn = (): boolean =>
    'seconds' in duration
      ? performance.now() - begun < duration.seconds * MS_PER_SECOND
      : latenciesMs.length < duration.amount;
  const { path = '', ...init } = write('/v1/audits', workspace, audit(0, workspace.companies));
  const post = async (): Promise<void> => {
    const response = await fetch(origin + path, init as RequestInit);
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };
  await post();
  for await (const { createdAt } of changes) {
    latenciesMs.push(sinceCommitMs(createdAt));
    if (!goesOn()) break;
    await post();
  }
  return {
    requests: latenciesMs.length,
    seconds: (performance.now() - begun) / MS_PER_SECOND,
    ...percentilesOf(latenciesMs),
  };
}
