import type { Peer } from '@svc/process-calls';
import { createLimiter } from '@svc/rate-limiter';
import { createLog } from '@svc/telemetry/log/log';
import type { ExportState } from '@svc/telemetry/outages';
import { Registry } from 'prom-client';
import { AUDIT_QUEUE_LIMITS } from '../audit-log/audit-queue.ts';
import { PRIMARY_TIMEOUT_MS } from '../config/limits.ts';
import { systemClock } from '../config/time.ts';
import type { SignalChannel } from '../signals/signals.ts';
import type { PrimaryCalls, WorkerCalls } from './calls.ts';
import { isPortInUse } from './listen.ts';
import { throwFromPeer } from './peer-failures.ts';
import { logUncaughtException } from './process.ts';
import { createRemoteWriter } from './remote-writer.ts';
import { type ServeParts, type Serving, serve } from './serve.ts';
import { openTelemetry } from './telemetry.ts';

/** The calls of a worker. The primary aggregates the metrics. For several workers, it also has what they share. */
export function createWorker(primary: Peer<PrimaryCalls>): WorkerCalls {
  let registry = new Registry();
  let wake: ((topics: readonly string[]) => void) | undefined;
  const signalChannel: SignalChannel = {
    send: (topics) => primary.call('announce', topics, PRIMARY_TIMEOUT_MS),
    receive(listener) {
      wake = listener;
    },
  };
  let serving: Serving | undefined;
  let telemetry: Awaited<ReturnType<typeof openTelemetry>>;
  return {
    async run(settings) {
      const log = createLog(settings.logLevel, settings.logFd);
      logUncaughtException(log);
      const shared = settings.workers === 1 ? { limiter: createLimiter(systemClock) } : sharedBy(primary);
      const readMetrics = (): Promise<string> => primary.call('readMetrics', null);
      const report = (state: ExportState): void =>
        void primary.call('reportExport', state).catch(() => undefined);
      telemetry = await openTelemetry(settings, { report });
      const { tracing } = telemetry ?? {};
      // A repeat with another port registers the metrics again.
      registry = new Registry();
      try {
        serving = await serve(settings, { log, ...shared, signalChannel, registry, readMetrics, tracing });
        return true;
      } catch (error) {
        await telemetry?.close();
        if (isPortInUse(error)) return false;
        throw error;
      }
    },
    async close() {
      await serving?.close();
      await telemetry?.close();
    },
    cut: () => serving?.cut(),
    collect: () => registry.getMetricsAsJSON(),
    wake: (topics) => wake?.(topics),
  };
}

/** The limits and the writer of the primary. */
const sharedBy = (primary: Peer<PrimaryCalls>): Pick<ServeParts, 'limiter' | 'auditWriter'> => ({
  limiter: {
    take: (bucket, limit, windowMs, cost) =>
      primary.call('take', { bucket, limit, windowMs, cost }, PRIMARY_TIMEOUT_MS),
  },
  auditWriter: createRemoteWriter(
    (request) => primary.call('append', request, PRIMARY_TIMEOUT_MS).catch(throwFromPeer),
    AUDIT_QUEUE_LIMITS,
  ),
});
