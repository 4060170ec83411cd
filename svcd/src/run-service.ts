import type { Config } from '@svc/service/config/config';
import { logUncaughtException } from '@svc/service/server/process';
import { type Service, startService } from '@svc/service/server/service';
import type { Logger } from 'pino';
import { say } from './output.ts';
import { signalExitCode, watchSignals } from './signals.ts';

export interface RunOptions {
  readonly config: Config;
  readonly purpose: string;
  readonly log: Logger;
  readonly logFd?: number;
  readonly acceptNewSecret?: boolean;
  readonly preferredPort?: number;
  /** Called when the service accepts requests. */
  readonly ready: (service: Service, log: Logger) => Promise<void>;
  /** Starts other work when the service is ready. At the end, both stop at the same time, then the database stops. */
  readonly startWhenReady?: (
    service: Service,
    log: Logger,
  ) => { readonly stop: () => Promise<void> } | undefined;
}

/** Runs a service until a signal. Resolves with the exit code. Throws if the service cannot start or fails. */
export async function runService({ ready, startWhenReady, ...options }: RunOptions): Promise<number> {
  const { log } = options;
  logUncaughtException(log);
  const signals = watchSignals();
  let exitCode = 0;
  // While the service starts, there are no requests to abort: it ends at once, as a command does.
  let cut = (): void => process.exit(exitCode);
  void signals.second.then((signal) => {
    exitCode = signalExitCode(signal);
    cut();
  });
  let service: Service;
  try {
    service = await startService({ ...options, signal: signals.abort });
  } catch (error) {
    if (signals.abort.aborted) return 0;
    throw error;
  }
  cut = () => {
    log.warn('a second signal: running requests are aborted');
    service.cut();
  };
  const failed = service.failed.then((error) => ({ error }));
  let work: ReturnType<NonNullable<typeof startWhenReady>>;
  let stopping = false;
  const ended = await Promise.race([
    ready(service, log).then(
      () => {
        if (!stopping) work = startWhenReady?.(service, log);
        return Promise.race([failed, signals.first]);
      },
      (error: unknown) => ({ error }),
    ),
    failed,
    signals.first,
  ]);
  stopping = true;
  if (typeof ended === 'string') say('Stopping after the running requests. A second Ctrl-C stops at once.');
  await service.stop(work?.stop());
  if (typeof ended !== 'string') throw ended.error;
  return exitCode;
}
