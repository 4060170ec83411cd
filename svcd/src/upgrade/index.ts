import { type Upgraded, upgradeEmbedded } from '@svc/embedded-postgres';
import { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { MisuseError } from '../misuse-error.ts';
import { print, say } from '../output.ts';
import { signalExitCode, watchSignals } from '../signals.ts';
import { copyDatabase } from './copy.ts';

interface UpgradeFlags {
  readonly oldBinaries?: string;
}

/** `svcd upgrade-database`: moves the data of the embedded database to the packaged major version of PostgreSQL. */
export function upgradeDatabaseCommand(context: CommandContext): Command {
  return new Command('upgrade-database')
    .summary('move the embedded database to the PostgreSQL of this release')
    .description(
      'move the data of the embedded database from an older major version of PostgreSQL to the one of this release. Stop the\n' +
        'service first. The old data is kept next to the new one. If the command fails, the old data is in its place, and\n' +
        'the old release still works with it. A repeat of a command that was killed starts over or finishes.',
    )
    .option(
      '--old-binaries <directory>',
      'where the programs of the old PostgreSQL are. Without it, the command says how to get them',
    )
    .action((flags: UpgradeFlags) => runUpgrade(context, flags));
}

async function runUpgrade(context: CommandContext, { oldBinaries }: UpgradeFlags): Promise<void> {
  const { databaseUrl, dataDir } = context.config();
  if (databaseUrl !== undefined) {
    throw new MisuseError(
      'SVC_DATABASE_URL is set, and this command upgrades only the embedded database. Upgrade your server with its own tools.',
    );
  }
  const signals = watchSignals();
  // What a killed upgrade leaves is harmless.
  void signals.second.then((signal) => process.exit(signalExitCode(signal)));
  try {
    const upgraded = await upgradeEmbedded({
      dataDir,
      oldBinaries,
      purpose: 'svcd upgrade-database',
      copy: (databases) => copyDatabase(databases, signals.abort),
      onPhase: (text) => say(`${text} …`),
      signal: signals.abort,
      log: context.log(),
    });
    if (upgraded === undefined)
      say('The database has the major version of this release already. Nothing to do.');
    else await describe(upgraded);
  } catch (error) {
    if (!signals.abort.aborted) throw error;
    say('svcd: the upgrade was stopped. The old database is in its place.');
    process.exitCode = signalExitCode(await signals.first);
  }
}

async function describe({ from, to, kept, refusedSettings }: Upgraded): Promise<void> {
  if (refusedSettings.length > 0) {
    say(
      `PostgreSQL ${to} refuses these settings, which are comments in postgres.config/postgresql.conf now: ` +
        `${refusedSettings.join(', ')}. postgresql.conf.old is the earlier file.`,
    );
  }
  say(
    `The database has PostgreSQL ${to} now. Start the service. The data of PostgreSQL ${from} is kept; when all is well,\n` +
      `remove it: rm -r ${kept}`,
  );
  await print(kept);
}
