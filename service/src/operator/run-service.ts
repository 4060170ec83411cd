import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { logUncaughtException } from '../log/uncaught-exception.ts';
import { type Service, startService } from '../server/service.ts';
import { say } from './output.ts';
import { signalExitCode, watchSignals } from './signals.ts';

export interface RunOptions {
  readonly config: Config;
  readonly purpose: string;
  readonly log: Logger;
  readonly logFd?: number;
  readonly acceptNewSecret?: boolean;
  /** What there is to do and to say once it serves. */
  readonly ready: (service: Service, log: Logger) => Promise<void>;
}

/** Runs a service until a signal ends it. Resolves with the exit code; throws when it cannot start or go on. */
export async function runService({ ready, ...options }: RunOptions): Promise<number> {
  const { log } = options;
  logUncaughtException(log);
  const signals = watchSignals();
  let service: Service;
  try {
    service = await startService({ ...options, signal: signals.abort });
  } catch (error) {
    if (signals.abort.aborted) return 0;
    throw error;
  }
  const failed = service.failed.then((error) => ({ error }));
  const ended = await Promise.race([
    ready(service, log).then(
      () => Promise.race([failed, signals.first]),
      (error: unknown) => ({ error }),
    ),
    failed,
    signals.first,
  ]);
  if (typeof ended === 'string')
    say('Stopping: finishing the requests that still run. Again to stop at once.');
  let exitCode = 0;
  void signals.second.then((signal) => {
    exitCode = signalExitCode(signal);
    log.warn('a second signal: requests that still run are cut');
    service.cut();
  });
  await service.stop();
  if (typeof ended !== 'string') throw ended.error;
  return exitCode;
}
