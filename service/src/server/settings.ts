import type { Config } from '../config/config.ts';

/** The configuration once the database, the secrets and the port are known: all that a serving process needs. */
export interface ServiceSettings extends Config {
  readonly databaseUrl: string;
  readonly secrets: readonly string[];
  /** The file descriptor that every process of the service writes its log to. */
  readonly logFd: number;
}
