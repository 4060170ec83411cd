import { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { STANDARD_STREAM } from '../files/arguments.ts';
import { openInput } from '../files/input.ts';
import { say } from '../output.ts';
import { showProgress } from '../progress.ts';
import { restoreDatabase } from './database.ts';
import { describeRows } from './report.ts';
import { planSecret } from './secret.ts';

interface RestoreFlags {
  readonly secretFile?: string;
}

/** `svcd restore`: restores a backup into an empty database, or not at all. */
export function restoreCommand(context: CommandContext): Command {
  return new Command('restore')
    .summary('restore a backup into an empty database')
    .description(
      'restore a backup of svcd backup into an empty database: that of SVC_DATABASE_URL, or the embedded one in SVC_DATA_DIR,\n' +
        'which is created. If the backup is damaged or not complete, or the command is ended, the database stays empty.\n' +
        'Readers of the change feed start over, because the backup lacks the last changes.',
    )
    .argument('<file>', `path of the backup; ${STANDARD_STREAM} is standard input`)
    .option(
      '--secret-file <file>',
      'write the secret of the backup to this new file. Default: the data directory gets it, if the database is embedded',
    )
    .action((file: string, flags: RestoreFlags) => runRestore(context, file, flags));
}

const AFTER_RESTORE =
  'Readers of the change feed start over, and the service disables all webhook endpoints (reason: expired) until you enable them. ' +
  'What was changed after the backup is as before it: revoke the keys and remove the members again that have gone since. ' +
  'Deleted workspaces can be restored for seven days from now: svcd workspace list --deleted.';

async function runRestore(
  context: CommandContext,
  file: string,
  { secretFile }: RestoreFlags,
): Promise<void> {
  const config = context.config();
  const { input, size } = await openInput(file);
  const started = performance.now();
  try {
    await context.withAnySchema(
      'svcd restore',
      async ({ url }) => {
        const progress = showProgress(size);
        const counted = countBytes(input);
        const secret = planSecret(config, secretFile);
        try {
          const report = await restoreDatabase(counted.input, url, {
            expirePositions: true,
            accept: secret.accept,
            beforeCommit: secret.write,
            onProgress: (rows) => progress.update(counted.bytes(), rows),
          });
          progress.stop();
          const { createdAt, version } = report.details;
          say(
            `Restored ${describeRows(report, started)}, from a backup of ${createdAt} by version ${version}.`,
          );
          if (report.unknown.length > 0)
            say(`Left out, because they are not tables of the service: ${report.unknown.join(', ')}.`);
          say(AFTER_RESTORE);
          say(secret.advice());
        } finally {
          progress.stop();
        }
      },
      { create: true },
    );
  } finally {
    input.destroy();
  }
}

function countBytes(input: AsyncIterable<Uint8Array>) {
  let bytes = 0;
  return {
    bytes: () => bytes,
    input: (async function* () {
      for await (const chunk of input) {
        bytes += chunk.length;
        yield chunk;
      }
    })(),
  };
}
