import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { parseArgs, promisify } from 'node:util';
import { createTarget } from './bench.ts';
import { withCleanup } from './cleanup.ts';
import { createReports } from './report.ts';
import { SCENARIOS } from './scenarios/index.ts';

const USAGE = `npm run bench -- [options] [scenario …]

Installs a service in a temporary folder, starts it as users do, fills workspaces of very different size, and measures
it. Half of the workspaces are newer than the statistics. Removes everything at the end. If a scenario fails, the others
still run, the results name it, and the exit code is 1.

Scenarios: ${Object.keys(SCENARIOS).join(', ')}. Default: all.

  --workspaces NUMBER    workspaces (default: 1000)
  --largest NUMBER       audits of the largest workspace (default: 1000000)
  --scale NUMBER         the number of audits is multiplied by this (default: 1, which is 4.5 million audits)
  --rounds NUMBER        rounds of each measurement (default: 5)
  --seconds NUMBER       of one measurement (default: 4)
  --requests NUMBER      of one measurement, instead of seconds
  --connections LIST     connections for pages and creates (default: 16,64)
  --postgres-url URL     a PostgreSQL on this machine, whose user may create databases (default: the embedded one)
  --json FILE            also write the results to a file, as JSON
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean' },
    workspaces: { type: 'string', default: '1000' },
    largest: { type: 'string', default: '1000000' },
    scale: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    requests: { type: 'string' },
    connections: { type: 'string', default: '16,64' },
    'postgres-url': { type: 'string' },
    json: { type: 'string' },
  },
});
const unknown = positionals.filter((name) => !(name in SCENARIOS));
if (values.help || unknown.length > 0) {
  console.log(unknown.length > 0 ? `There is no scenario ${unknown.join(', ')}.\n\n${USAGE}` : USAGE);
  process.exit(unknown.length > 0 ? 1 : 0);
}

/** Throws if the value of an option is not a number above 0. */
function positive(option: string, value: string): number {
  const number = Number(value);
  if (!(number > 0)) throw new Error(`--${option} must be a number above 0, not ${JSON.stringify(value)}.`);
  return number;
}
const { workspaces, largest, scale, rounds, seconds, requests, connections } = values;
const size = {
  workspaces: positive('workspaces', workspaces),
  largest: positive('largest', largest),
  scale: positive('scale', scale),
};
const effort = {
  rounds: positive('rounds', rounds),
  duration:
    requests === undefined
      ? { seconds: positive('seconds', seconds) }
      : { amount: positive('requests', requests) },
  connections: connections.split(',').map((count) => positive('connections', count)),
};
const reports = createReports(console.log);
console.log(`filling ${size.workspaces} workspaces`);
await withCleanup(async (stack) => {
  const target = await createTarget(stack, { postgresUrl: values['postgres-url'] }, size);
  const { rows } = await target.database.client.query<{ version: string; audits: number }>(
    `select split_part(current_setting('server_version'), ' ', 1) as version, count(*)::float8 as audits from audits`,
  );
  const [{ version = '', audits = 0 } = {}] = rows;
  console.log(`${audits} audits, PostgreSQL ${version}`);
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    console.log(`\n${name}`);
    const report = reports.of(name);
    // The other scenarios and their results stay useful.
    await scenario({ target, effort, report }).catch(report.failure);
  }
  const { stdout: commit } = await promisify(execFile)('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: import.meta.dirname,
  });
  const machine = {
    cpu: cpus()[0]?.model ?? '',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1e9),
    node: process.version,
    postgresql: version,
  };
  const results = {
    date: new Date().toISOString(),
    commit: commit.trim(),
    machine,
    ...size,
    audits,
    ...effort,
    ...reports.results,
  };
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(results, null, 2)}\n`);
  if (results.failures.length > 0) process.exitCode = 1;
});
