import pg from 'pg';
import { BusyError } from './turns.ts';

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

/** SQLSTATE classes and codes of a server that cannot answer now: connection, deadlock, resources, a lock, shutting down, time-out. */
const SERVER_CODES = /^(08|40|53|55P03|57P|57014|58|25006)/;

/** Whether the error means "the database is away or overloaded", not "the statement is wrong". */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof BusyError) return true;
  // FATAL: there is no session, whether it could not begin (the database is gone, closed, refuses us) or was ended.
  if (error instanceof pg.DatabaseError)
    return error.severity === 'FATAL' || SERVER_CODES.test(error.code ?? '');
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if ('code' in error && typeof error.code === 'string' && NETWORK_CODES.has(error.code)) return true;
  return /connection terminated|timeout exceeded when trying to connect|Connection ended|not queryable/i.test(
    error.message,
  );
}
