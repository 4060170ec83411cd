import { resolve } from 'node:path';
import { hasDatabase } from '@svc/embedded-postgres';
import { ensurePartitions } from '@svc/service/audit-log/partitions';
import { type Config, readConfig } from '@svc/service/config/config';
import { OperatorError } from '@svc/service/config/errors';
import { migrate, requireSchema } from '@svc/service/database/migrate';
import { FOR_COMMANDS } from '@svc/service/database/pool';
import { createLog, STANDARD_ERROR } from '@svc/telemetry/log/log';
import type pg from 'pg';
import type { Logger } from 'pino';
import { type ConnectedDatabase, useCommandDatabase } from './command-database.ts';
import type { Signals } from './signals.ts';

/** The settings, log and database of a command. Each is read or opened on first use. */
export interface CommandContext {
  /** The settings. Throws ConfigError with all mistakes. */
  readonly config: () => Config;
  /** The log of a command, on standard error. */
  readonly log: () => Logger;
  /**
   * Runs `work` on the service's database: the one that a running service uses, or else the embedded one, which it
   * starts and stops. Applies pending migrations first. Throws OperatorError if the data directory has no database.
   */
  readonly withDatabase: UseDatabase;
  /** Like `withDatabase`, but applies no migrations. Throws MigrationError if the schema is not the one of this program. */
  readonly withCurrentSchema: UseDatabase;
  /** Like `withDatabase`, but neither changes nor checks the schema, which may be older, newer or missing. */
  readonly withAnySchema: UseDatabase;
}

type UseDatabase = <T>(
  purpose: string,
  work: (database: CommandDatabase) => Promise<T>,
  options?: UseOptions,
) => Promise<T>;

interface UseOptions {
  /** `work` itself must end on these signals. Default: a signal ends the command. */
  readonly signals?: Signals;
  /** Creates the embedded database if there is none. Default: false. */
  readonly create?: true;
}

interface CommandDatabase extends ConnectedDatabase {
  /** The deployment's secrets, created on first use. Throws OperatorError if the database needs a secret that is missing. */
  readonly secrets: () => Promise<readonly string[]>;
}

const CONNECTIONS = 4;

/** `env` is the environment that the settings are read from. */
export function createContext(env: NodeJS.ProcessEnv): CommandContext {
  let cachedConfig: Config | undefined;
  let cachedLog: Logger | undefined;
  const config = (): Config => {
    cachedConfig ??= readConfig(env);
    return cachedConfig;
  };
  const log = (): Logger => {
    // A command prints its result itself, so by default its log has only warnings and errors.
    cachedLog ??= createLog(env['SVC_LOG_LEVEL'] ? config().logLevel : 'warn', STANDARD_ERROR);
    return cachedLog;
  };
  const useDatabase =
    (prepare: (pool: pg.Pool) => Promise<void>): UseDatabase =>
    async (purpose, work, { signals, create } = {}) => {
      if (!create) await requireDatabase(config());
      return useCommandDatabase(
        { config: config(), purpose, log: log() },
        { max: CONNECTIONS, ...FOR_COMMANDS },
        async (database) => {
          await prepare(database.pool);
          const secrets = async (): Promise<readonly string[]> => {
            const { deploymentSecrets } = await import('@svc/service/server/secrets/confirm');
            return deploymentSecrets(database.pool, { config: config(), log: log() });
          };
          return work({ ...database, secrets });
        },
        signals,
      );
    };
  return {
    config,
    log,
    withDatabase: useDatabase(async (pool) => {
      await migrate(pool, log());
      await ensurePartitions(pool);
    }),
    withCurrentSchema: useDatabase(requireSchema),
    withAnySchema: useDatabase(() => Promise.resolve()),
  };
}

/** With the settings of another service, or without any, a command would create a database that nobody wants. */
async function requireDatabase({ databaseUrl, dataDir }: Config): Promise<void> {
  if (databaseUrl !== undefined || (await hasDatabase(dataDir))) return;
  throw new OperatorError(
    `the data directory ${resolve(dataDir)} has no database, or this user cannot read it. Set SVC_DATA_DIR or ` +
      'SVC_DATABASE_URL as for the service: see "Commands" in docs/operations.md.',
  );
}
