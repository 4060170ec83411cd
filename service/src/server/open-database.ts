import { setTimeout as delay } from 'node:timers/promises';
import { type Embedded, type EmbeddedOptions, startEmbedded, useEmbedded } from '@svc/embedded-postgres';
import { splitHosts } from '@svc/postgres-hosts';
import { explainRefusalAt, PoolerError, requireDirect } from '@svc/postgres-sessions';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { errorMessage, OperatorError } from '../config/errors.ts';
import { HEALTH_CONNECTIONS, LANE_CONNECTIONS_MIN, TRAIL_CONNECTIONS } from '../config/limits.ts';
import { isUnavailable } from '../database/errors.ts';
import { createPool, limitsOf } from '../database/pool.ts';
import { statement } from '../database/statement.ts';
import { JOB_CONNECTIONS } from '../jobs/jobs.ts';
import { SIGNAL_CONNECTIONS } from '../signals/notifications.ts';
import { WEBHOOK_CONNECTIONS } from '../webhooks/start.ts';

/** How long a start waits for an external database. */
const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** Connections of the primary process, without its jobs, signals and webhooks. */
export const PRIMARY_CONNECTIONS = 2;

/** An open database. `stop` releases it. */
export interface Database {
  /** For all work but requests. */
  readonly url: string;
  /** For requests: the same, or a pooler. */
  readonly requestsUrl: string;
  readonly embedded: boolean;
  /** Resolves with the reason if the embedded database cannot be kept running. Never resolves for an external one. */
  readonly failed: Promise<Error>;
  readonly stop: () => Promise<void>;
}

export interface DatabaseUser {
  readonly config: Pick<
    Config,
    'databaseUrl' | 'databasePooler' | 'databaseDirectUrl' | 'dataDir' | 'workers' | 'databaseConnections'
  >;
  /** The name of this program in messages to others, such as `svcd start`. */
  readonly purpose: string;
  readonly log: Logger;
}

/** Opens the service's database: starts the embedded one and keeps it running, or waits for the external one. */
export async function openServiceDatabase(user: DatabaseUser, signal: AbortSignal): Promise<Database> {
  const { config, log } = user;
  if (config.databaseUrl === undefined)
    return embedded(
      await startEmbedded({ ...embeddedOptions(user), connections: connectionsOf(config), signal }),
    );
  const database = external(config.databaseUrl, config.databaseDirectUrl);
  const name = config.databaseDirectUrl === undefined ? 'SVC_DATABASE_URL' : 'SVC_DATABASE_DIRECT_URL';
  const direct = await waitForDatabase({ name, url: database.url, pooled: false }, log, signal);
  if (config.databasePooler === 'none') return database;
  const pooler = { name: 'SVC_DATABASE_URL', url: config.databaseUrl, pooled: true };
  if ((await waitForDatabase(pooler, log, signal)) !== direct)
    throw new OperatorError(
      'SVC_DATABASE_URL and SVC_DATABASE_DIRECT_URL lead to different databases: the pooler must lead to the same one',
    );
  return database;
}

/** Opens the database of a command: the external one, or the embedded one, which it starts until `stop` if none runs. */
export async function openCommandDatabase(user: DatabaseUser, signal?: AbortSignal): Promise<Database> {
  const { config } = user;
  if (config.databaseUrl !== undefined) return external(config.databaseUrl, config.databaseDirectUrl);
  return embedded(await useEmbedded({ ...embeddedOptions(user), signal }));
}

const embeddedOptions = ({ config, purpose, log }: DatabaseUser): EmbeddedOptions => ({
  dataDir: config.dataDir,
  purpose,
  log,
});

/** The most connections of a node that do not serve requests. With a pooler, they lead to PostgreSQL itself. */
export const OWN_CONNECTIONS =
  PRIMARY_CONNECTIONS + JOB_CONNECTIONS + SIGNAL_CONNECTIONS + WEBHOOK_CONNECTIONS;

/** The most connections of a node. */
export const connectionsOf = ({
  workers,
  databaseConnections,
}: Pick<Config, 'workers' | 'databaseConnections'>): number => {
  const each = databaseConnections + HEALTH_CONNECTIONS;
  // Several workers do not use their lane for audit entries: the primary writes them.
  const serving = workers === 1 ? each : workers * (each - LANE_CONNECTIONS_MIN.trail) + TRAIL_CONNECTIONS;
  return serving + OWN_CONNECTIONS;
};

const embedded = ({ url, failed, stop }: Embedded): Database => ({
  url,
  requestsUrl: url,
  embedded: true,
  failed,
  stop,
});

const external = (requestsUrl: string, url = requestsUrl): Database => ({
  url,
  requestsUrl,
  embedded: false,
  failed: new Promise(() => undefined),
  stop: () => Promise.resolve(),
});

/** A URL of the settings, by the name of its setting. */
interface NamedUrl {
  readonly name: string;
  readonly url: string;
  readonly pooled: boolean;
}

/** Resolves with what tells this database from others. */
async function waitForDatabase(
  { name, url, pooled }: NamedUrl,
  log: Logger,
  signal: AbortSignal,
): Promise<string> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    signal.throwIfAborted();
    try {
      return await tryConnection({ name, url, pooled });
    } catch (error) {
      const refusal =
        error instanceof PoolerError
          ? error.message
          : await explainRefusalAt(error, splitHosts(url)[0] ?? url);
      if (refusal !== undefined) throw new OperatorError(`${name}: ${refusal}`, { cause: error });
      if (!isUnavailable(error)) throw error;
      const away = `the database at ${describeDatabase(url)} does not answer (${errorMessage(error)})`;
      if (performance.now() > deadline) {
        throw new OperatorError(`${away}. Start it, or correct ${name}.`, { cause: error });
      }
      log.warn(`${away}; trying again`);
    }
    await delay(pause, undefined, { signal });
  }
}

const identify = statement('identify_database', 'control')`
  select current_database() || ' ' || pg_postmaster_start_time() as id`;

async function tryConnection({ url, pooled }: NamedUrl): Promise<string> {
  const pool = createPool({ url, pooled, max: 1, name: 'svcd', onError: () => undefined });
  try {
    const client = await pool.connect();
    try {
      if (!pooled) await requireDirect(client, limitsOf({}));
      return (await client.query<{ id: string }>(identify())).rows[0]?.id ?? '';
    } finally {
      client.release(true);
    }
  } finally {
    await pool.end();
  }
}

/** Hosts, ports and database of a URL, without user and password. */
export function describeDatabase(url: string): string {
  const clients = splitHosts(url).map((one) => new pg.Client({ connectionString: one }));
  const database = clients[0]?.database;
  const sockets = clients.every(({ host }) => host.startsWith('/'));
  const hosts = clients.map(({ host, port }) => (sockets ? host : `${host}:${port}`)).join(',');
  return sockets ? `${hosts} (${database})` : `${hosts}/${database}`;
}
