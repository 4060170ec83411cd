import type { Peer } from '@svc/process-calls';
import { Registry } from 'prom-client';
import { AUDIT_QUEUE_LIMITS } from '../audit-log/audit-queue.ts';
import { PRIMARY_TIMEOUT_MS } from '../config/limits.ts';
import { createLog } from '../log/log.ts';
import type { PrimaryCalls, WorkerCalls } from './calls.ts';
import { logUncaughtException } from './process.ts';
import { createRemoteWriter } from './remote-writer.ts';
import { type Serving, serve } from './serve.ts';

/** The calls of a worker. The primary has the limits, writes the audit entries and aggregates the metrics. */
export function createWorker(primary: Peer<PrimaryCalls>): WorkerCalls {
  const registry = new Registry();
  let serving: Serving | undefined;
  return {
    async run(settings) {
      const log = createLog(settings.logLevel, settings.logFd);
      logUncaughtException(log);
      serving = await serve(settings, {
        log,
        limiter: {
          take: (bucket, limit, windowMs, cost) =>
            primary.call('take', { bucket, limit, windowMs, cost }, PRIMARY_TIMEOUT_MS),
        },
        auditWriter: createRemoteWriter(
          (request) => primary.call('append', request, PRIMARY_TIMEOUT_MS),
          AUDIT_QUEUE_LIMITS,
        ),
        registry,
        readMetrics: () => primary.call('readMetrics', null),
      });
    },
    async close() {
      await serving?.close();
    },
    cut: () => serving?.cut(),
    collect: () => registry.getMetricsAsJSON(),
  };
}
