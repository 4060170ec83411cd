import type { Logger } from 'pino';

/**
 * Logs an uncaught error without secrets, then ends the process, as Node does. All answered requests are durable by then,
 * and the next start recovers the rest.
 */
export function logUncaughtException(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an uncaught error ends this process');
    process.exit(1);
  });
}
