import { limitConnections } from '@svc/http-content/connections';
import type { Limiter } from '@svc/rate-limiter';
import type { Tracing } from '@svc/telemetry/tracing';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { createApp } from '../app.ts';
import type { AuditWriter } from '../audit-log/audit-writer.ts';
import { SHUTDOWN_DEADLINE_MS } from '../config/limits.ts';
import { createLanes } from '../database/lanes.ts';
import type { SignalChannel } from '../signals/signals.ts';
import type { ServiceSettings } from './calls.ts';
import { addressOf, listenFailure } from './listen.ts';
import { logBroken } from './log-broken.ts';

/** A running server, in this process or in several processes that share the port. */
export interface Serving {
  /** Stops accepting, finishes running requests, writes their audit entries and closes the database. Idempotent. */
  readonly close: () => Promise<void>;
  /** Aborts running requests and their connections, so that `close` ends at once. */
  readonly cut: () => void;
}

export interface ServeParts {
  readonly log: Logger;
  readonly limiter: Limiter;
  /** Default: a writer of this process. */
  readonly auditWriter?: AuditWriter;
  /** Default: a channel of this process. */
  readonly signalChannel?: SignalChannel;
  /** Gets the metrics of this process. */
  readonly registry: Registry;
  /** The text of /metrics. */
  readonly readMetrics: () => Promise<string>;
  /** Undefined: no traces are exported. */
  readonly tracing: Tracing | undefined;
}

/**
 * How often a shutdown ends the connections on which no request runs. A request that was just sent may arrive before the
 * first time. A response that had begun before the shutdown did not tell its client to close the connection.
 */
const UNUSED_MS = 1_000;

/** Serves in this process. Throws OperatorError if it cannot listen. */
export async function serve(settings: ServiceSettings, parts: ServeParts): Promise<Serving> {
  const { log } = parts;
  const lanes = createLanes(
    {
      url: settings.databaseUrl,
      pooled: settings.databasePooler === 'transaction',
      name: 'svcd requests',
      onError: logBroken(log, 'request'),
    },
    settings.databaseConnections,
  );
  const appLog = log.child({});
  const app = createApp({ ...parts, log: appLog, lanes, config: settings, secrets: settings.secrets });
  const connections = limitConnections(app.server);
  let closing = false;
  app.addHook('onSend', async (_, reply) => {
    // Tells the client to send no further request on this connection, which is about to end.
    if (closing) reply.header('connection', 'close');
  });
  try {
    // Fastify logs each address in each process; the service prints its address once.
    appLog.level = 'warn';
    await app.ready();
    // Frees what only the start needed. Workers have the flag for it.
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    await app.listen({ host: await addressOf(settings.host), port: settings.port });
    appLog.level = log.level;
    log.debug('this process serves');
  } catch (error) {
    await app.close();
    await lanes.end();
    throw listenFailure(error, settings.host, settings.port);
  }
  const wasCut = Promise.withResolvers<void>();
  const cut = (): void => {
    app.server.closeAllConnections();
    wasCut.resolve();
  };
  const finish = async (): Promise<void> => {
    await app.close();
    await lanes.end();
  };
  const end = async (): Promise<void> => {
    closing = true;
    const deadline = setTimeout(() => {
      log.warn('requests still run at the deadline of the shutdown; they are aborted');
      cut();
    }, SHUTDOWN_DEADLINE_MS);
    const unused = setInterval(connections.endUnused, UNUSED_MS);
    await Promise.race([finish(), wasCut.promise]);
    clearInterval(unused);
    clearTimeout(deadline);
  };
  let ended: Promise<void> | undefined;
  return {
    cut,
    close() {
      ended ??= end();
      return ended;
    },
  };
}
