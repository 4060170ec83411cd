import { hasDatabase } from '@svc/embedded-postgres';
import { createLimiter } from '@svc/rate-limiter';
import { measureDatabase } from '@svc/telemetry/database';
import { STANDARD_OUTPUT } from '@svc/telemetry/log/log';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type Config, isEveryAddress, urlOf } from '../config/config.ts';
import { systemClock } from '../config/time.ts';
import { migrate } from '../database/migrate.ts';
import { createPool } from '../database/pool.ts';
import { statement } from '../database/statement.ts';
import { ping } from '../http/monitoring.ts';
import { createAuditLogPartitions } from '../jobs/audit-log-partitions.ts';
import { readFigures } from '../jobs/figures.ts';
import type { ServiceSettings } from './calls.ts';
import { freePort, tryPort } from './listen.ts';
import { openServiceDatabase, PRIMARY_CONNECTIONS } from './open-database.ts';
import { confirmSecrets, deploymentSecrets } from './secrets/confirm.ts';
import { openSignalHub } from './signal-hub.ts';
import { openTelemetry } from './telemetry.ts';
import { forkWorkers } from './workers.ts';

/** A running service. */
export interface Service {
  readonly settings: ServiceSettings;
  /** Whether the service runs the embedded PostgreSQL. */
  readonly embedded: boolean;
  /** Connections of the primary process, which serves no requests. */
  readonly pool: pg.Pool;
  /** For metrics of the node. */
  readonly registry: Registry;
  /** Resolves with the reason if the service cannot continue. Call `stop` then. */
  readonly failed: Promise<Error>;
  /** Finishes running requests, then closes everything, the database last and not before `others`, which use it too. */
  readonly stop: (others?: Promise<void>) => Promise<void>;
  /** Aborts running requests, so that `stop` does not wait for them. */
  readonly cut: () => void;
}

export interface ServiceOptions {
  readonly config: Config;
  /** The name of this program in messages to others, such as `svcd start`. */
  readonly purpose: string;
  readonly log: Logger;
  /** File descriptor of `log`, for the worker processes. Default: standard output. */
  readonly logFd?: number;
  /** Aborts the start. */
  readonly signal: AbortSignal;
  /** Whether to accept a secret that keys, second factors or webhooks in the database do not work with. Default: false. */
  readonly acceptNewSecret?: boolean;
  /** The first port to try if the settings have port 0. Default: any free port. */
  readonly preferredPort?: number;
}

const noticeEnd = statement('notice_end_of_client', 'control')`set client_connection_check_interval = '1s'`;

/** Starts the database, migrates the schema, then reads the secrets, and starts the workers and the jobs. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, purpose, log, signal } = options;
  // Before a database is created or migrated: the program that listens there may be the release that uses it now.
  const requirePort = async () => config.port !== 0 && (await tryPort(config.host, config.port));
  if (config.databaseUrl === undefined && !(await hasDatabase(config.dataDir))) await requirePort();
  await using started = new AsyncDisposableStack();
  // They load their program while the database starts.
  const workers = forkWorkers(config.workers, { log, limiter: createLimiter(systemClock) });
  started.defer(workers.kill);

  const database = await openServiceDatabase({ config, purpose, log }, signal);
  let others: Promise<void> | undefined;
  started.defer(() => Promise.resolve(others).finally(database.stop));
  signal.throwIfAborted();
  await requirePort();
  const own = {
    url: database.url,
    max: PRIMARY_CONNECTIONS,
    name: purpose,
    onError: (error: Error) => log.debug({ err: error }, 'a database connection of the primary broke'),
  };
  // A migration may take as long as it needs. Later statements may not: svc_database_up would stay 0 after lost packets.
  const migrations = createPool({
    ...own,
    answerTimeoutMs: 0,
    check: async (client) => {
      // Without it, a statement that waits for a lock would go on without the start. Servers on Windows do not have it.
      await client.query(noticeEnd()).catch(() => undefined);
      signal.throwIfAborted();
    },
  });
  // Then the migration that runs is rolled back: the next start continues.
  migrations.on('connect', (client) => signal.addEventListener('abort', () => void client.end()));
  await migrate(migrations, log).finally(() => migrations.end());
  const pool = createPool(own);
  started.defer(() => pool.end());
  const secrets = await deploymentSecrets(pool, options);
  await confirmSecrets(pool, secrets, options);
  await createAuditLogPartitions({ pool, log });
  signal.throwIfAborted();

  const choose = () => settingsOf(options, database.requestsUrl, secrets);
  const first = await choose();
  if (isEveryAddress(config.host) && !config.publicUrlGiven) {
    log.warn(
      `other machines can reach this service, but links and sign-in work only at ${first.publicUrl}: set ` +
        'SVC_PUBLIC_URL (svcd demo: --public-url) to the address that people use',
    );
  }
  const signals = openSignalHub({ databaseUrl: database.url, log });
  started.defer(signals.close);
  const { readMetrics, registry, reportExport: report } = workers;
  measureDatabase(registry, { ping: () => ping(pool), read: () => readFigures(pool) });
  const telemetry = await openTelemetry(config, { report, readMetrics });
  started.defer(async () => telemetry?.close());
  const another = config.port === 0 ? choose : undefined;
  const serving = await workers.run(first, signals, telemetry?.tracing, another);
  // The port closes at once, also while a job runs or a delivery waits for its receiver.
  const parts = [serving.close];
  started.defer(async () => void (await Promise.all(parts.map((close) => close()))));
  const { startJobs } = await import('../jobs/jobs.ts');
  const jobs = startJobs({
    databaseUrl: database.url,
    logRetentionDays: config.logRetentionDays,
    changeRetentionDays: config.changeRetentionDays,
    secrets,
    log,
    announce: signals.channel.send,
    registry,
  });
  parts.push(jobs.stop);
  const { startWebhooks } = await import('../webhooks/start.ts');
  const webhooks = startWebhooks({
    databaseUrl: database.url,
    secrets,
    networks: config.webhookNetworks,
    channel: signals.channel,
    tracing: telemetry?.tracing,
    registry,
    log,
  });
  parts.push(webhooks.stop);
  started.defer(async () => telemetry?.closeMetrics());
  const resources = started.move();
  return {
    settings: serving.settings,
    embedded: database.embedded,
    pool,
    registry,
    failed: Promise.race([database.failed, serving.failed]),
    stop: (before) => {
      others = before;
      return resources.disposeAsync();
    },
    cut: serving.cut,
  };
}

/** The settings of the serving processes. Replaces port 0 by a free port, so that all processes and links use one port. */
async function settingsOf(
  { config, logFd = STANDARD_OUTPUT, preferredPort }: ServiceOptions,
  databaseUrl: string,
  secrets: readonly string[],
): Promise<ServiceSettings> {
  const settings = { ...config, databaseUrl, secrets, logFd };
  if (config.port !== 0) return settings;
  const port = await freePort(config.host, preferredPort);
  const publicUrl = config.publicUrl.endsWith(':0') ? urlOf(config.host, port) : config.publicUrl;
  return { ...settings, port, publicUrl };
}
