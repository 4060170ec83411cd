import { basename } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { OPERATOR } from '@svc/service/audit-log/actor';
import { FORMATS, type Format } from '@svc/service/bulk/batches';
import { type ImportReport, importRecords } from '@svc/service/bulk/import';
import { counted, numberText } from '@svc/service/config/plural';
import type { Resource } from '@svc/service/resources/define';
import { createCommandAnnouncer } from '@svc/service/signals/notifications';
import { Command, Option } from 'commander';
import type { CommandContext } from '../context.ts';
import { explain } from '../explain.ts';
import { print, say } from '../output.ts';
import { showProgress } from '../progress.ts';
import { signalExitCode, watchSignals } from '../signals.ts';
import { readFormatOf, resourceArgument, resourceOf, STANDARD_STREAM } from './arguments.ts';
import { type Input, openInput } from './input.ts';
import { openRejects } from './rejects.ts';

interface ImportFlags {
  readonly workspace: string;
  readonly format?: Format;
  readonly atomic?: true;
  readonly dryRun?: true;
  readonly replace?: true;
  readonly rejects?: string;
  readonly json?: true;
}

const MS_PER_SECOND = 1_000;
const SOME_REFUSED = 1;
const FAILED = 2;
/**
 * How much the heap may grow, in percent of what was in use, before V8 collects it again. With V8's default, long texts
 * need 344 MB instead of 240.
 */
const HEAP_GROWTH_PERCENT = 30;

/**
 * `svcd import`: exits with 0 if all records were imported, 1 if some were refused, 2 if the import failed, and 128 plus the
 * number of the signal that has stopped it.
 */
export function importCommand(context: CommandContext): Command {
  return new Command('import')
    .summary('load records from a file')
    .description(
      'load records from a file: one JSON object per line (NDJSON), a JSON array, or CSV with a header row of field names.\n' +
        'By default, records whose id already exists stay unchanged, so an import can be repeated.\n' +
        'But a repeat adds records without an id again.',
    )
    .addArgument(resourceArgument())
    .argument('<file>', `path of the file; ${STANDARD_STREAM} is standard input`)
    .requiredOption('--workspace <id>', 'workspace of the records')
    .addOption(
      new Option('--format <format>', 'ndjson is also for a JSON array; default: from the file name').choices(
        FORMATS,
      ),
    )
    .option(
      '--atomic',
      'import all records or none: one refused line undoes the import. Other writers to the workspace wait',
    )
    .addOption(
      new Option(
        '--replace',
        'replace records whose id already exists. A line is refused if its record may not get its values',
      ).conflicts('atomic'),
    )
    .option('--dry-run', 'only check the file and report what would be imported; write nothing')
    .option('--rejects <file>', 'write refused lines to this file, as NDJSON of line, field, reason and text')
    .option('--json', 'print the report as one line of JSON')
    .addHelpText(
      'after',
      '\nExit codes: 0 all records imported, 1 some lines refused, 2 failed, 128 plus the number of the signal that stopped it.',
    )
    .action(async (name: string, file: string, flags: ImportFlags) => {
      let source: Input | undefined;
      try {
        const format = readFormatOf(file, flags.format);
        source = await openInput(file);
        process.exitCode = await runImport(context, {
          resource: resourceOf(name),
          file,
          format,
          source,
          flags,
        });
      } catch (error) {
        context.log().debug({ err: error }, 'the import failed');
        say(`svcd: ${explain(error).text}`);
        process.exitCode = FAILED;
      } finally {
        await source?.close();
      }
    });
}

interface ImportRequest {
  readonly resource: Resource;
  readonly file: string;
  readonly format: Format;
  /** The open file. */
  readonly source: Input;
  readonly flags: ImportFlags;
}

async function runImport(
  context: CommandContext,
  { resource, file, format, source: { input, fd, size }, flags }: ImportRequest,
): Promise<number> {
  const dryRun = flags.dryRun === true;
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const rejects = await openRejects(flags.rejects, fd);
  const signals = watchSignals();
  const useDatabase = dryRun ? context.withCurrentSchema : context.withDatabase;
  const work = useDatabase(
    'svcd import',
    async ({ pool }) => {
      const progress = showProgress(size);
      const started = performance.now();
      const announcer = createCommandAnnouncer(pool);
      const announce = (): void => {
        if (!dryRun) announcer.announce(flags.workspace);
      };
      try {
        const report = await importRecords({
          pool,
          workspaceId: flags.workspace,
          resource,
          input,
          format,
          atomic: flags.atomic === true,
          replace: flags.replace === true,
          dryRun,
          parallel: true,
          by: OPERATOR,
          ...(file === STANDARD_STREAM ? {} : { fileName: basename(file) }),
          patient: true,
          signal: signals.abort,
          onProgress: ({ bytes, inserted, existing }) => {
            announce();
            progress.update(bytes, inserted + existing);
          },
          onReject: rejects.write,
        });
        return { report, seconds: (performance.now() - started) / MS_PER_SECOND };
      } finally {
        // Also after the commit of an atomic import.
        announce();
        await announcer.drain();
        progress.stop();
      }
    },
    { signals },
  );
  // If the import failed, report its error, and not a later error of the rejects file.
  work.catch(() => rejects.end()).catch(() => undefined);
  const { report, seconds } = await work;
  await rejects.end();
  if (flags.json) {
    await print(
      JSON.stringify({ resource: resource.name, workspaceId: flags.workspace, dryRun, ...report, seconds }),
    );
  } else if (dryRun) await print(describeDryRun(resource, report, flags.replace === true));
  else await print(describeImport(resource, report, seconds));
  if (report.interrupted) return signalExitCode(await signals.first);
  return report.refused > 0 ? SOME_REFUSED : 0;
}

const linesText = (count: number): string => counted(count, 'line', 'lines');

function describeImport({ singular, plural }: Resource, report: ImportReport, seconds: number): string {
  const { inserted, existing, replaced, refused, rolledBack, interrupted, stoppedAfter } = report;
  const records = (count: number): string => counted(count, singular, plural);
  const rate = inserted > 0 ? ` (${numberText(Math.round(inserted / seconds))} per second)` : '';
  const unchanged = existing - replaced;
  const lines = [
    rolledBack
      ? 'Nothing was imported, because of --atomic.'
      : `${records(inserted)} imported in ${seconds.toFixed(1)} s${rate}.`,
    ...(replaced > 0 ? [`${records(replaced)} replaced.`] : []),
    ...(unchanged > 0 ? [`${records(unchanged)} already existed, unchanged.`] : []),
    ...(refused > 0 ? [`${linesText(refused)} refused.`] : []),
    ...(interrupted ? [describeStop(stoppedAfter)] : []),
  ];
  return lines.join('\n');
}

const describeStop = (after: ImportReport['stoppedAfter']): string =>
  after === undefined
    ? 'Stopped before the end of the file. Run the command again to import the rest.'
    : `Stopped after record ${numberText(after.record)} of the file, which begins in line ${numberText(after.line)}.\n` +
      'Some records have no id, and importing the whole file again would add them again. ' +
      'Import a file with only the records after this one (and the header row of CSV).';

function describeDryRun({ singular, plural }: Resource, report: ImportReport, replace: boolean): string {
  const { inserted, existing, refused, rolledBack, interrupted } = report;
  const records = (count: number): string => counted(count, singular, plural);
  const imported = rolledBack
    ? 'Nothing would be imported, because of --atomic.'
    : `${records(inserted)} would be imported.`;
  const kept = replace
    ? `${records(existing)} would be replaced, unless a record may not get the values. A dry run does not check that.`
    : `${records(existing)} would stay unchanged, because the id exists.`;
  const lines = [
    'This was a dry run: nothing was written.',
    ...(rolledBack && interrupted ? [] : [imported]),
    ...(existing > 0 ? [kept] : []),
    ...(refused > 0 ? [`${linesText(refused)} would be refused.`] : []),
    ...(interrupted ? ['Stopped before the end of the file.'] : []),
  ];
  return lines.join('\n');
}
