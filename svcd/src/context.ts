import { ensurePartitions } from '@svc/service/audit-log/partitions';
import { type Config, readConfig } from '@svc/service/config/config';
import { migrate, requireSchema } from '@svc/service/database/migrate';
import { FOR_COMMANDS } from '@svc/service/database/pool';
import { deploymentSecrets } from '@svc/service/server/secrets/file';
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
   * starts and stops. Applies pending migrations first. A signal ends the command, unless `signals` is given: then `work`
   * itself must end on these signals.
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
  signals?: Signals,
) => Promise<T>;

interface CommandDatabase extends ConnectedDatabase {
  /** The deployment's secrets, created on first use. */
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
    (purpose, work, signals) =>
      useCommandDatabase(
        { config: config(), purpose, log: log() },
        { max: CONNECTIONS, ...FOR_COMMANDS },
        async (database) => {
          await prepare(database.pool);
          return work({ ...database, secrets: () => deploymentSecrets(config(), log()) });
        },
        signals,
      );
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
