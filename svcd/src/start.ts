import { resolve } from 'node:path';
import { urlOf } from '@svc/service/config/config';
import { createSetUpLink } from '@svc/service/dashboard/people/links';
import { describeDatabase } from '@svc/service/server/open-database';
import type { Service } from '@svc/service/server/service';
import { createLog, STANDARD_OUTPUT } from '@svc/telemetry/log/log';
import { Command } from 'commander';
import type { Logger } from 'pino';
import { type BackupSchedule, scheduleBackups } from './backup/schedule/schedule.ts';
import type { CommandContext } from './context.ts';
import { say } from './output.ts';
import { runService } from './run-service.ts';

/** `svcd start`: runs the service until a signal. */
export function startCommand(context: CommandContext): Command {
  return new Command('start')
    .description('run the service')
    .summary('run the service')
    .option(
      '--accept-new-secret',
      'start even if keys, second factors or webhooks in the database need another secret, and list them',
    )
    .action(async (flags: { readonly acceptNewSecret?: true }) => {
      const config = context.config();
      const exitCode = await runService({
        config,
        purpose: 'svcd start',
        acceptNewSecret: flags.acceptNewSecret === true,
        log: createLog(config.logLevel, STANDARD_OUTPUT),
        ready: sayReady,
        startWhenReady: startBackups,
      });
      // Aborted requests may still hold connections, which must not delay the exit.
      process.exit(exitCode);
    });
}

function startBackups({ settings: { backups }, registry }: Service, log: Logger): BackupSchedule | undefined {
  return backups && scheduleBackups({ settings: backups, log, registry });
}

async function sayReady({ settings, embedded, pool }: Service): Promise<void> {
  const setUpLink = await createSetUpLink({ pool, publicUrl: settings.publicUrl });
  const address = urlOf(settings.host, settings.port);
  say(`svc serves ${address}`);
  if (settings.publicUrl !== address) say(`public ${settings.publicUrl}`);
  say(embedded ? `data   ${resolve(settings.dataDir)}` : `data   ${describeDatabase(settings.databaseUrl)}`);
  if (setUpLink !== null)
    say(`set up ${setUpLink} (works once, within 24 hours; creates the owner and a workspace)`);
  say('stop   Ctrl-C');
}
