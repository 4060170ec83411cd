import type { Logger } from 'pino';
import { UnreachableNodeError } from '../database/citus/node-sessions.ts';

/** Logs a broken connection, which the next `use` replaces, or that a node of the cluster cannot be used directly. */
export const logBroken =
  (log: Logger, use: 'entry' | 'request') =>
  (error: Error): void =>
    log.warn(
      { err: error },
      error instanceof UnreachableNodeError
        ? error.message
        : `a database connection broke; the next ${use} opens a new one`,
    );
