import type { Logger } from 'pino';

/**
 * An error that nobody caught ends the process, as it does without this, but says so in the log, without secrets.
 * What was answered is durable already; the next start finds the rest in order.
 */
export function logUncaughtException(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an error that nobody caught ends this process');
    process.exit(1);
  });
}
