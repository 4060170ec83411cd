import type { Writable } from 'node:stream';
import type { Config } from '@svc/service/config/config';
import { OperatorError } from '@svc/service/config/errors';
import { readSecretFile, secretFileOf } from '@svc/service/server/secrets/file';
import { Command, Option } from 'commander';
import type { CommandContext } from '../context.ts';
import { STANDARD_STREAM } from '../files/arguments.ts';
import { writeWhole } from '../files/whole-file.ts';
import { MisuseError } from '../misuse-error.ts';
import { say, standardOutput, unwritable } from '../output.ts';
import { showProgress } from '../progress.ts';
import { signalExitCode, watchSignals } from '../signals.ts';
import { type BackupReport, backupDatabase } from './database.ts';
import { estimateRows } from './estimate.ts';
import { describeRows } from './report.ts';
import { makeScheduledBackup } from './schedule/make.ts';
import { verifyBackup } from './scratch.ts';

interface BackupFlags {
  readonly output?: string;
  readonly verify?: true;
  readonly includeSecret?: true;
  readonly scheduled?: true;
}

/** `svcd backup`: writes a backup of the whole database, while the service runs or not. */
export function backupCommand(context: CommandContext): Command {
  return new Command('backup')
    .summary('write a backup of the database')
    .description(
      'write a backup of the whole database as it is at one moment, to a file or a pipe. The service can run meanwhile,\n' +
        'and no request waits for the backup. svcd restore reads it, also with another version of PostgreSQL.',
    )
    .argument('[file]', `path of the file; ${STANDARD_STREAM} is standard output`, STANDARD_STREAM)
    .option('-o, --output <file>', 'the same as the argument')
    .option(
      '--verify',
      'restore the backup into a scratch server next to the file, compare all rows, and run svcd verify on it',
    )
    .option('--include-secret', 'put the secret of the deployment into the backup')
    .addOption(new Option('--scheduled', 'make the backup of SVC_BACKUP_DIR if it is due').hideHelp())
    .action(async (argument: string, { output, ...flags }: BackupFlags) => {
      if (flags.scheduled) return makeScheduledBackup(context);
      if (output !== undefined && argument !== STANDARD_STREAM)
        throw new MisuseError('give the file once: as the argument or with --output.');
      await runBackup(context, output ?? argument, flags);
    });
}

async function runBackup(
  context: CommandContext,
  file: string,
  { verify, includeSecret }: BackupFlags,
): Promise<void> {
  if (file === STANDARD_STREAM && process.stdout.isTTY)
    throw new MisuseError('a backup is no text for a terminal: give a file, or use a pipe.');
  if (file === STANDARD_STREAM && verify) throw new MisuseError('--verify needs a file: --output backup.svc');
  const config = context.config();
  const secrets = includeSecret ? await secretsOf(config) : undefined;
  const signals = watchSignals();
  const started = performance.now();
  try {
    const report = await context.withAnySchema(
      'svcd backup',
      async ({ url }) => {
        const progress = showProgress(await estimateRows(url, 'svcd backup'));
        const write = (output: Writable): Promise<BackupReport> =>
          backupDatabase(url, output, {
            ...(secrets === undefined ? {} : { secrets }),
            onProgress: (rows) => progress.update(rows, rows),
            signal: signals.abort,
          });
        try {
          if (file === STANDARD_STREAM) return await write(standardOutput);
          const check = async (partial: string): Promise<void> => {
            if (!verify) return;
            await verifyBackup(partial, {
              databaseUrl: config.databaseUrl === undefined ? undefined : url,
              log: context.log(),
              signal: signals.abort,
              onProgress: (rows) => progress.update(rows, rows),
            });
          };
          return await writeWhole(file, write, { check });
        } finally {
          progress.stop();
        }
      },
      { signals },
    );
    const where = file === STANDARD_STREAM ? '' : ` to ${file}`;
    say(`Backed up ${describeRows(report, started)}${where}.${verify ? ' Verified.' : ''}`);
    say(secrets === undefined ? withoutSecret(config) : WITH_SECRET);
  } catch (error) {
    if (!signals.abort.aborted) throw ofOutput(error);
    say('svcd: the backup was stopped, and is not complete.');
    process.exitCode = signalExitCode(await signals.first);
  }
}

const WITH_SECRET =
  'The backup contains the secret: whoever reads it can create valid sessions and cursors. Keep it as safe as the secret.';

const withoutSecret = ({ dataDir, secrets }: Config): string =>
  `The backup does not contain the secret, without which no API key works: keep ${
    secrets === undefined ? secretFileOf(dataDir) : 'SVC_SECRET'
  } too, or use --include-secret.`;

/** Also a pipe whose reader is gone is a failure: what it has read is no backup. */
const ofOutput = (error: unknown): unknown =>
  error instanceof Error && 'syscall' in error && error.syscall === 'write' ? unwritable(error) : error;

async function secretsOf({ secrets, dataDir }: Config): Promise<readonly string[]> {
  if (secrets !== undefined) return secrets;
  const found = await readSecretFile(dataDir);
  if (found === undefined) throw new OperatorError(`there is no secret in ${secretFileOf(dataDir)}`);
  return [found.secret];
}
