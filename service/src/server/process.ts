import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import type { Logger } from 'pino';

/** Node's cache of compiled code, next to the installed packages. It makes later starts faster. */
export const COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/svc-compile');

/** Prepares a process of this program. Modules that are loaded later come from the compile cache. */
export function prepareProcess(): void {
  enableCompileCache(COMPILE_CACHE);
  ignoreBrokenPipes();
}

/**
 * Lets the process continue if standard output or standard error cannot be written, because the reader of a pipe has
 * ended, a terminal was closed, or a disk is full. By default Node would end the process with a stack trace. The text is
 * lost. A command writes its result with a callback, which gets the error.
 */
function ignoreBrokenPipes(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
}

/**
 * Logs an uncaught error without secrets, then ends the process, as Node does. Nothing is lost: the writes of all requests
 * that got a response are on the disk, and the next start recovers the rest.
 */
export function logUncaughtException(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an uncaught error ends this process');
    process.exit(1);
  });
}
