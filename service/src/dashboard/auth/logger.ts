import type { BetterAuthOptions } from 'better-auth';
import type { FastifyBaseLogger } from 'fastify';

type Logger = NonNullable<BetterAuthOptions['logger']>;

/**
 * better-auth's messages in the service's log. Of what comes with a message only an error's kind and stack are
 * taken: the rest may hold a session's token or a row of the database.
 */
export const authLogger = (log: FastifyBaseLogger): Logger => ({
  log: (level, message, ...details) => {
    const error = details.find((detail) => detail instanceof Error);
    log[level](error === undefined ? {} : { err: harmless(error) }, `sign-in: ${message}`);
  },
});

const harmless = ({ name, message, stack }: Error) => ({ type: name, message, stack });
