import { Command } from 'commander';
import { estimateRecords, type Finding, verifyRecords } from '../integrity/verify.ts';
import { RESOURCES } from '../resources/index.ts';
import type { CommandContext } from './context.ts';
import { explain, MISUSED } from './explain.ts';
import { print, say } from './output.ts';
import { showProgress } from './progress.ts';

interface VerifyFlags {
  readonly repair?: true;
  readonly json?: true;
}

interface VerifyReport {
  readonly records: number;
  readonly findings: number;
  readonly repaired: number;
  readonly seconds: number;
}

const FOUND = 1;
const MS_PER_SECOND = 1_000;
const number = new Intl.NumberFormat('en');

/** `svcd verify`: holds what is kept beside the records against the records themselves. */
export function verifyCommand(context: CommandContext): Command {
  return new Command('verify')
    .summary("hold every record's JSON, every counter and every clock against the records")
    .description(
      "hold every record's JSON against its columns, every counter against a count, every clock against the\n" +
        'newest time it has given, in all workspaces. Writers may go on meanwhile.',
    )
    .option('--repair', 'put right what is found; the records themselves are never changed')
    .option('--json', 'print each finding and then the report, a line of JSON each')
    .addHelpText('after', '\nExit codes: 0 nothing found, 1 something found (repaired or not), 2 failed.')
    .action(async (flags: VerifyFlags) => {
      try {
        const report = await runVerify(context, flags);
        await print(flags.json ? JSON.stringify(report) : describe(report, flags));
        if (report.findings > 0) process.exitCode = FOUND;
      } catch (error) {
        context.log().debug({ err: error }, 'the verification failed');
        say(`svcd: ${explain(error).text}`);
        process.exitCode = MISUSED;
      }
    });
}

const runVerify = (context: CommandContext, { repair, json }: VerifyFlags): Promise<VerifyReport> =>
  context.withCurrentSchema('svcd verify', async ({ pool }) => {
    const resources = RESOURCES.filter(({ writable }) => writable);
    const started = performance.now();
    const progress = showProgress(await estimateRecords(pool, resources));
    const seen = { records: 0, findings: 0, repaired: 0 };
    let unwritten: unknown;
    try {
      await verifyRecords({
        pool,
        resources,
        repair: repair === true,
        onFinding: async (finding) => {
          seen.findings++;
          if (finding.repaired) seen.repaired++;
          try {
            await print(json ? JSON.stringify(finding) : line(finding));
          } catch (error) {
            // What was found, and perhaps repaired, is not lost with the output.
            say(line(finding));
            unwritten ??= error;
          }
        },
        onProgress: (records) => {
          seen.records += records;
          progress.update(seen.records, seen.records);
        },
      });
    } finally {
      progress.stop();
    }
    if (unwritten !== undefined) throw unwritten;
    return { ...seen, seconds: (performance.now() - started) / MS_PER_SECOND };
  });

const line = ({ workspaceId, problem, detail, repaired }: Finding): string =>
  `${workspaceId}  ${problem}: ${detail}${repaired ? ' (repaired)' : ''}`;

function describe({ records, findings, repaired, seconds }: VerifyReport, { repair }: VerifyFlags): string {
  const read = `Read ${number.format(records)} records in ${seconds.toFixed(1)} s`;
  if (findings === 0) return `${read}: everything is as the records say.`;
  if (!repair) return `${read}: found ${number.format(findings)}. svcd verify --repair puts them right.`;
  return `${read}: found ${number.format(findings)}, repaired ${number.format(repaired)}.`;
}
