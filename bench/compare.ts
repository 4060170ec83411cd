import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { createTarget, read, type Target, write } from './bench.ts';
import { withCleanup } from './cleanup.ts';
import { alternate, ratios, type Sample, spreadOf, totalCpuUs } from './measure/rounds.ts';
import { createReports, spreadText } from './report.ts';
import { importFile, sendBatches } from './scenarios/bulk.ts';
import { startCollector } from './target/collector.ts';
import { audit } from './target/records.ts';
import { createFilled, type Workspace } from './target/workspaces.ts';

const USAGE = `npm run bench:compare -- [options] COMMIT [COMMIT]

Compares two commits (default of the second: HEAD): installs both in a temporary folder, runs both services at the same
time, and measures pages, creates, imports and HTTP batches, alternately. Prints the ratios of the second commit to the
first.

  --workspaces NUMBER     workspaces (default: 64)
  --scale NUMBER          of their sizes (default: 0.1)
  --rounds NUMBER         rounds of each measurement (default: 5)
  --seconds NUMBER        of one measurement (default: 4)
  --only NAMES            of pages, creates, import and batches, separated by commas (default: all)
  --postgres-url URL      a PostgreSQL on this machine, whose user may create databases (default: embedded ones)
  --telemetry RATIO       the second service exports this share of its traces, and its metrics, to a collector
`;
const REPOSITORY = join(import.meta.dirname, '..');
const CONNECTIONS = 16;
const COMPANIES = 100;
const LARGEST_AUDITS = 1_000_000;

const run = promisify(execFile);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    workspaces: { type: 'string', default: '64' },
    scale: { type: 'string', default: '0.1' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    only: { type: 'string', default: 'pages,creates,import,batches' },
    'postgres-url': { type: 'string' },
    telemetry: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const [first, second = 'HEAD'] = positionals;
if (first === undefined || values.help) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 1);
}
const rounds = Number(values.rounds);
const duration = { seconds: Number(values.seconds) };
const size = { workspaces: Number(values.workspaces), largest: LARGEST_AUDITS, scale: Number(values.scale) };

/** Clones a commit and installs its packages, as a user does. */
async function checkOut(commit: string, folder: string): Promise<string> {
  await run('git', ['clone', '--quiet', '--shared', '--no-checkout', REPOSITORY, folder]);
  const { stdout } = await run('git', ['-C', REPOSITORY, 'rev-parse', commit]);
  await run('git', ['-C', folder, 'checkout', '--quiet', '--detach', stdout.trim()]);
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
  return folder;
}

/** What is measured of a commit. */
async function subjectsOf(target: Target): Promise<Readonly<Record<string, () => Promise<Sample>>>> {
  const { workspaces, installation, service } = target;
  const fresh = [...(await createFilled(installation, service, 2 * (rounds + 1), COMPANIES))];
  const load = { connections: CONNECTIONS, duration };
  const pages = workspaces.map((workspace) => read('/v1/audits', workspace));
  const creates = workspaces.map((workspace) =>
    write('/v1/audits', workspace, audit(0, workspace.companies)),
  );
  const take = (): Workspace => {
    const workspace = fresh.pop();
    if (workspace === undefined) throw new Error('There is no workspace left.');
    return workspace;
  };
  const audits = workspaces[1]?.audits ?? 0;
  return {
    pages: () => target.measure({ ...load, requests: pages }),
    creates: () => target.measure({ ...load, requests: creates }),
    import: async () => (await importFile(target, take(), audits)).sample,
    batches: () => sendBatches(target, take(), audits),
  };
}

async function compare(targets: readonly Target[]): Promise<void> {
  const report = createReports(console.log).of('compare');
  const subjects = await Promise.all(targets.map(subjectsOf));
  for (const name of values.only.split(',')) {
    const measured = subjects.map((of, i) => ({
      name: `${name}, ${[first, second][i]}`,
      measure: of[name] ?? (() => Promise.reject(new Error(`${name} is missing`))),
    }));
    const [before = [], after = []] = await alternate(measured, rounds);
    report.series(measured[0]?.name ?? '', before);
    report.series(measured[1]?.name ?? '', after);
    const cpuBefore = totalCpuUs(before);
    const cpu = totalCpuUs(after).map((us, round) => us / (cpuBefore[round] ?? Number.NaN));
    console.log(`  ${name}: rate × ${spreadText(spreadOf(ratios(after, before, 'rate')))}`);
    console.log(`  ${name}: CPU  × ${spreadText(spreadOf(cpu))}`);
  }
}

await withCleanup(async (stack) => {
  const collector = await startCollector();
  stack.defer(collector.stop);
  const folder = await mkdtemp(join(tmpdir(), 'svc-compare-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const targets: Target[] = [];
  for (const [i, commit] of [first, second].entries()) {
    console.log(`installing ${commit}`);
    const checkout = await checkOut(commit, join(folder, String(i)));
    const env =
      i === 0 || values.telemetry === undefined
        ? {}
        : { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: values.telemetry };
    const target = await createTarget(stack, { checkout, postgresUrl: values['postgres-url'], env }, size);
    targets.push(target);
  }
  await compare(targets);
  if (values.telemetry !== undefined) console.log(`  the collector got ${collector.bytes()} bytes`);
});
