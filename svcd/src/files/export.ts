import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FORMATS, type Format } from '@svc/service/bulk/batches';
import { exportRecords } from '@svc/service/bulk/export';
import { counted } from '@svc/service/config/plural';
import { Command, Option } from 'commander';
import type { CommandContext } from '../context.ts';
import { MisuseError } from '../misuse-error.ts';
import { say, write } from '../output.ts';
import { showProgress } from '../progress.ts';
import { resourceArgument, resourceOf, STANDARD_STREAM, writtenFormatOf } from './arguments.ts';
import { writeWhole } from './whole-file.ts';

/** The umask decides who can read the file, as for other programs. */
const FILE_MODE = 0o666;

interface ExportFlags {
  readonly workspace: string;
  readonly format?: Format;
  readonly csvSafe?: true;
}

/** `svcd export`: writes files that `svcd import` can read. */
export function exportCommand(context: CommandContext): Command {
  return new Command('export')
    .summary('write records to a file')
    .description(
      'write all records of a resource to a file, oldest first, with their ids and times.\n' +
        'If svcd import loads the file into an empty workspace, its lists are the same.',
    )
    .addArgument(resourceArgument())
    .argument('[file]', `path of the file; ${STANDARD_STREAM} is standard output`, STANDARD_STREAM)
    .requiredOption('--workspace <id>', 'workspace of the records')
    .addOption(
      new Option('--format <format>', 'default: from the file name; ndjson for standard output').choices(
        FORMATS,
      ),
    )
    .option(
      '--csv-safe',
      "CSV only: put ' before text that a spreadsheet would run as a formula. An import keeps this character",
    )
    .action(async (name: string, file: string, flags: ExportFlags) => {
      const resource = resourceOf(name);
      const format = writtenFormatOf(file, flags.format);
      if (flags.csvSafe && format !== 'csv') throw new MisuseError('--csv-safe needs --format csv.');
      await context.withCurrentSchema('svcd export', async ({ pool }) => {
        const progress = showProgress(undefined);
        let records = 0;
        const text = exportRecords({
          pool,
          workspaceId: flags.workspace,
          resource,
          format,
          csvSafe: flags.csvSafe === true,
          onProgress: (more) => {
            records += more;
            progress.update(0, records);
          },
        });
        try {
          if (file === STANDARD_STREAM) await writeToOutput(text);
          else await writeWhole(file, (output) => pipeline(Readable.from(text), output), { mode: FILE_MODE });
        } finally {
          progress.stop();
        }
        if (file !== STANDARD_STREAM)
          say(`Wrote ${counted(records, resource.singular, resource.plural)} to ${file}.`);
      });
    });
}

async function writeToOutput(text: AsyncIterable<string>): Promise<void> {
  for await (const part of text) {
    // The reader has closed the pipe, as head does.
    if (!(await write(part))) return;
  }
}
