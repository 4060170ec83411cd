import { counted, numberText } from '@svc/service/config/plural';
import type { Finding } from '@svc/service/integrity/finding';
import { estimateRecords, verifyRecords } from '@svc/service/integrity/verify';
import { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { explain } from './explain.ts';
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
const FAILED = 2;
const MS_PER_SECOND = 1_000;

/** `svcd verify`: compares stored JSON, counters and clocks with the records. */
export function verifyCommand(context: CommandContext): Command {
  return new Command('verify')
    .summary('compare stored JSON, counters and clocks with the records')
    .description(
      'in all workspaces, compare the stored JSON of each record with its columns, each counter with a count, each\n' +
        'clock with its newest time, and each key with what finds its workspace. The service can run meanwhile.',
    )
    .option('--repair', 'repair what differs; the fields of records never change')
    .option('--json', 'print each finding, then the report, as one line of JSON each')
    .addHelpText('after', '\nExit codes: 0 no differences, 1 differences (repaired or not), 2 failed.')
    .action(async (flags: VerifyFlags) => {
      try {
        const report = await runVerify(context, flags);
        await print(flags.json ? JSON.stringify(report) : describe(report, flags));
        if (report.findings > 0) process.exitCode = FOUND;
      } catch (error) {
        context.log().debug({ err: error }, 'the verification failed');
        say(`svcd: ${explain(error).text}`);
        process.exitCode = FAILED;
      }
    });
}

const runVerify = (context: CommandContext, { repair, json }: VerifyFlags): Promise<VerifyReport> =>
  context.withCurrentSchema('svcd verify', async ({ pool }) => {
    const started = performance.now();
    const progress = showProgress(await estimateRecords(pool));
    const counts = { records: 0, findings: 0, repaired: 0 };
    let unwritten: unknown;
    try {
      await verifyRecords({
        pool,
        repair: repair === true,
        onFinding: async (finding) => {
          counts.findings++;
          if (finding.repaired) counts.repaired++;
          try {
            await print(json ? JSON.stringify(finding) : line(finding));
          } catch (error) {
            // The finding must not be lost: --repair may have repaired it already. So standard error gets it.
            say(line(finding));
            unwritten ??= error;
          }
        },
        onProgress: (records) => {
          counts.records += records;
          progress.update(counts.records, counts.records);
        },
      });
    } finally {
      progress.stop();
    }
    if (unwritten !== undefined) throw unwritten;
    return { ...counts, seconds: (performance.now() - started) / MS_PER_SECOND };
  });

const line = ({ workspaceId, problem, detail, repaired }: Finding): string =>
  `${workspaceId}  ${problem}: ${detail}${repaired ? ' (repaired)' : ''}`;

function describe({ records, findings, repaired, seconds }: VerifyReport, { repair }: VerifyFlags): string {
  const read = `Read ${counted(records, 'record', 'records')} in ${seconds.toFixed(1)} s`;
  if (findings === 0) return `${read}: no differences.`;
  if (!repair)
    return `${read}: ${counted(findings, 'difference', 'differences')}. svcd verify --repair repairs them.`;
  return `${read}: ${counted(findings, 'difference', 'differences')}, ${numberText(repaired)} repaired.`;
}
