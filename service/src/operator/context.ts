import type pg from 'pg';
import type { Logger } from 'pino';
import { ensurePartitions } from '../audit-log/partitions.ts';
import { type Config, readConfig } from '../config/config.ts';
import { migrate, requireSchema } from '../database/migrate.ts';
import { FOR_COMMANDS } from '../database/pool.ts';
import { createLog, STANDARD_ERROR } from '../log/log.ts';
import { deploymentSecrets } from '../server/secrets/deployment.ts';
import { type ConnectedDatabase, useCommandDatabase } from './command-database.ts';
import type { Signals } from './signals.ts';

/** What every command stands on. Nothing is read or opened before a command asks for it. */
export interface CommandContext {
  /** The settings; throws ConfigError with every mistake at once. */
  readonly config: () => Config;
  /** For what a command says beside its result: on standard error. */
  readonly log: () => Logger;
  /**
   * Runs `work` on the service's database and lets go of it: the one that a running service uses, else the embedded
   * one, started for the time of the command. Its schema is brought to this program's. A signal ends the command, unless
   * `work` comes to an end by these `signals` itself.
   */
  readonly withDatabase: UseDatabase;
  /** The same, but no schema is changed: throws MigrationError where it is not this program's. */
  readonly withCurrentSchema: UseDatabase;
}

type UseDatabase = <T>(
  purpose: string,
  work: (database: CommandDatabase) => Promise<T>,
  signals?: Signals,
) => Promise<T>;

export interface CommandDatabase extends ConnectedDatabase {
  /** The deployment's secrets, made on first use. */
  readonly secrets: () => Promise<readonly string[]>;
}

const CONNECTIONS = 4;

/** `env` is the environment that the settings are read from. */
export function createContext(env: NodeJS.ProcessEnv): CommandContext {
  let known: Config | undefined;
  let made: Logger | undefined;
  const config = (): Config => {
    known ??= readConfig(env);
    return known;
  };
  const log = (): Logger => {
    // A command reports its result itself; of the rest only what went wrong is news, unless more was asked for.
    made ??= createLog(env['SVC_LOG_LEVEL'] ? config().logLevel : 'warn', STANDARD_ERROR);
    return made;
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
  };
}
