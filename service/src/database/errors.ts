import { NoPrimaryError, StandbyError } from '@svc/postgres-hosts';
import { PoolerError } from '@svc/postgres-sessions';
import { BusyError } from '@svc/turns';
import { type Attempts, createAttempts } from '@svc/turns/attempts';
import pg from 'pg';
import { errorCode, errorMessage } from '../config/errors.ts';

/** The SQLSTATEs that this program handles (PostgreSQL, appendix A). */
const SQL_STATES = {
  unique_violation: '23505',
  foreign_key_violation: '23503',
  lock_not_available: '55P03',
  query_canceled: '57014',
  deadlock_detected: '40P01',
  in_failed_sql_transaction: '25P02',
  undefined_table: '42P01',
  undefined_function: '42883',
  duplicate_table: '42P07',
  duplicate_object: '42710',
} as const;

/** Whether a statement failed for one of these reasons. */
export const failedFor = (error: unknown, ...reasons: readonly (keyof typeof SQL_STATES)[]): boolean =>
  reasons.some((reason) => errorCode(error) === SQL_STATES[reason]);

/**
 * SQLSTATEs of errors that can end or prevent a session: connection, idle transaction, sign-in, no database, resources,
 * shutdown, system, internal.
 */
const SESSION_CODES = /^(08|25P0[34]|28|3D|53|57P|58|F0|XX)/;

/**
 * Whether the database has refused a statement, and the connection can be used again. PostgreSQL translates the severity
 * (`lc_messages`): in another language, the SQLSTATE decides, and some errors that end no session count as if they did.
 */
export const isRefused = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  (error.severity === 'ERROR' || !(endsSession(error) || SESSION_CODES.test(error.code ?? '')));

/** False if the severity is in another language. */
const endsSession = ({ severity }: pg.DatabaseError): boolean => severity === 'FATAL' || severity === 'PANIC';

/** Whether a server could not reach another one, such as the coordinator of a cluster one of its nodes. */
export const isConnectionFailure = (error: unknown): boolean => (errorCode(error) ?? '').startsWith('08');

/**
 * Whether a refused transaction may be committed nevertheless: Citus says internal_error if a node did not answer to its
 * commit.
 */
export const mayBeCommitted = (error: unknown): boolean => (errorCode(error) ?? '').startsWith('XX');

/**
 * It is not known whether a transaction is committed: the connection was lost, Citus reported an internal error, or a call
 * in a cluster timed out. `cause`: that error.
 */
export class UnknownOutcomeError extends Error {
  constructor(cause: unknown) {
    super(`the commit has no known outcome: ${errorMessage(cause)}`, { cause });
  }
}

/** The database is away or overloaded for another process of the service. */
export class UnavailableError extends Error {}

/** Errors that are not the server's. */
const UNAVAILABLE = [
  BusyError,
  UnavailableError,
  UnknownOutcomeError,
  StandbyError,
  NoPrimaryError,
  PoolerError,
];

/** No server listens, the connection is lost, the name has no address, or the network has no way to it. */
const NETWORK_CODE =
  /^(ENOENT|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_(AGAIN|FAIL)|E(HOST|NET)(UNREACH|DOWN)|EADDRNOTAVAIL)$/;

/**
 * SQLSTATEs of a server that cannot answer now: connection, read-only, idle transaction, sign-in, no database, deadlock,
 * resources, lock, shutdown, timeout.
 */
const SERVER_CODES = /^(08|25006|25P0[34]|28|3D|40|53|55P03|57P|57014|58)/;

/** Whether the database is away or overloaded. False if the statement is wrong. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (UNAVAILABLE.some((kind) => error instanceof kind)) return true;
  // There may be no session: it could not start, because the database is missing, closed or refuses it.
  if (error instanceof pg.DatabaseError) return endsSession(error) || SERVER_CODES.test(error.code ?? '');
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (NETWORK_CODE.test(errorCode(error) ?? '')) return true;
  return /connection terminated|timeout exceeded when trying to connect|Connection ended|not queryable/i.test(
    error.message,
  );
}

/** Whether the database is away, so that other statements fail too. False if it has refused this statement only. */
const isAway = (error: unknown): boolean => isUnavailable(error) && !isRefused(error);

/** Judges errors of work that is tried without waiting and then again. Throws the error if the database is away. */
export const failedWork =
  (onFailure: (error: unknown, owner: string) => unknown) =>
  (error: unknown, owner: string, waits: boolean): 'busy' | 'failed' => {
    if (isAway(error)) throw error;
    const isSlow = !waits && failedFor(error, 'query_canceled');
    if (isSlow || failedFor(error, 'lock_not_available')) return 'busy';
    onFailure(error, owner);
    return 'failed';
  };

/** Tries work for each workspace, or each row, unless the database is away. */
export const attemptsForEach = (): Attempts => createAttempts(isAway);
