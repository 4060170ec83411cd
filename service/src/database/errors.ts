import { BusyError } from '@svc/turns';
import pg from 'pg';
import { errorCode } from '../config/errors.ts';

/** The SQLSTATEs that this program handles (PostgreSQL, appendix A). */
const SQL_STATES = {
  unique_violation: '23505',
  foreign_key_violation: '23503',
  lock_not_available: '55P03',
} as const;

/** Whether a statement failed for this reason. */
export const failedFor = (error: unknown, reason: keyof typeof SQL_STATES): boolean =>
  errorCode(error) === SQL_STATES[reason];

/** Whether the database has refused a statement, and the connection can be used again. */
export const isRefused = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity !== 'FATAL';

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);

/** SQLSTATEs of a server that cannot answer now: connection, deadlock, resources, lock, shutdown, timeout, read-only. */
const SERVER_CODES = /^(08|40|53|55P03|57P|57014|58|25006)/;

/** Whether the database is away or overloaded. False if the statement is wrong. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof BusyError) return true;
  // FATAL means that there is no session: it could not start, because the database is missing, closed or refuses it, or
  // the server ended it.
  if (error instanceof pg.DatabaseError)
    return error.severity === 'FATAL' || SERVER_CODES.test(error.code ?? '');
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (NETWORK_CODES.has(errorCode(error) ?? '')) return true;
  return /connection terminated|timeout exceeded when trying to connect|Connection ended|not queryable/i.test(
    error.message,
  );
}
