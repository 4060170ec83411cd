import { resolve } from 'node:path';
import { Command } from 'commander';
import { createLog, STANDARD_OUTPUT } from '../log/log.ts';
import { describeDatabase } from '../server/open-database.ts';
import type { Service } from '../server/service.ts';
import type { CommandContext } from './context.ts';
import { runService } from './run-service.ts';
import { say } from './say.ts';

/** `svcd start`: the service, until a signal ends it. */
export function startCommand(context: CommandContext): Command {
  return new Command('start')
    .description('run the service')
    .summary('run the service')
    .action(async () => {
      const config = context.config();
      process.exitCode = await runService({
        config,
        purpose: 'svcd start',
        log: createLog(config.logLevel, STANDARD_OUTPUT),
        ready: async (service) => sayReady(service),
      });
    });
}

function sayReady({ settings, embedded }: Service): void {
  say(`svc serves ${settings.publicUrl}`);
  say(embedded ? `data   ${resolve(settings.dataDir)}` : `data   ${describeDatabase(settings.databaseUrl)}`);
  say('stop   Ctrl-C');
}
