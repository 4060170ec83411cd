import { resolve } from 'node:path';
import { Command } from 'commander';
import { urlOf } from '../config/address.ts';
import { createSetUpLink } from '../dashboard/people/links.ts';
import { createLog, STANDARD_OUTPUT } from '../log/log.ts';
import { describeDatabase } from '../server/open-database.ts';
import type { Service } from '../server/service.ts';
import type { CommandContext } from './context.ts';
import { say } from './output.ts';
import { runService } from './run-service.ts';

/** `svcd start`: the service, until a signal ends it. */
export function startCommand(context: CommandContext): Command {
  return new Command('start')
    .description('run the service')
    .summary('run the service')
    .option(
      '--accept-new-secret',
      'start although keys or second factors in the database were made with another secret; lists them',
    )
    .action(async (flags: { readonly acceptNewSecret?: true }) => {
      const config = context.config();
      const exitCode = await runService({
        config,
        purpose: 'svcd start',
        acceptNewSecret: flags.acceptNewSecret === true,
        log: createLog(config.logLevel, STANDARD_OUTPUT),
        ready: sayReady,
      });
      // Requests that were cut may still hold connections; nothing is waited for any more.
      process.exit(exitCode);
    });
}

async function sayReady({ settings, embedded, pool }: Service): Promise<void> {
  const setUpLink = await createSetUpLink({ pool, publicUrl: settings.publicUrl });
  const address = urlOf(settings.host, settings.port);
  say(`svc serves ${address}`);
  if (settings.publicUrl !== address) say(`public ${settings.publicUrl}`);
  say(embedded ? `data   ${resolve(settings.dataDir)}` : `data   ${describeDatabase(settings.databaseUrl)}`);
  if (setUpLink !== null) say(`set up ${setUpLink} (once, within 24 hours: makes the owner and a workspace)`);
  say('stop   Ctrl-C');
}
