import { urlOf } from '@svc/service/config/config';
import { errorMessage, OperatorError } from '@svc/service/config/errors';
import { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { print } from '../output.ts';
import { type Answer, ask } from './ask.ts';

const TIMEOUT_MS = 4_000;

/** `svcd health`: asks the service at the configured address whether it serves. For the health checks of containers. */
export function healthCommand(context: CommandContext): Command {
  return new Command('health')
    .description(
      'ask the running service at SVC_HOST and SVC_PORT whether it serves, also while its database is unavailable',
    )
    .summary('ask the running service whether it serves')
    .option('--ready', 'also ask whether the database responds')
    .action(async (flags: { readonly ready?: true }) => {
      const { host, port } = context.config();
      const url = `${urlOf(host, port)}${flags.ready ? '/readyz' : '/healthz'}`;
      let response: Answer;
      try {
        response = await ask(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      } catch (error) {
        const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
        throw new OperatorError(`${url} does not respond: ${errorMessage(cause)}`);
      }
      if (!response.ok) throw new OperatorError(`${url} responds with ${response.status}`);
      await print(`${url} responds with ${response.status}`);
    });
}
