import type pg from 'pg';
import type { SessionLimits } from './settings.ts';

/** The SQL that gives a transaction limits that differ from those of its session. Empty if none does. */
export function transactionSettings(limits: SessionLimits, session: SessionLimits): string {
  const { statementTimeoutMs, lockTimeoutMs, idleInTransactionTimeoutMs, readOnly } = limits;
  return [
    readOnly === session.readOnly ? '' : `set transaction read ${readOnly ? 'only' : 'write'}`,
    changed('statement_timeout', statementTimeoutMs, session.statementTimeoutMs),
    changed('lock_timeout', lockTimeoutMs, session.lockTimeoutMs),
    changed(
      'idle_in_transaction_session_timeout',
      idleInTransactionTimeoutMs,
      session.idleInTransactionTimeoutMs,
    ),
  ]
    .filter((text) => text !== '')
    .join('; ');
}

const changed = (name: string, wanted: number, found: number): string =>
  wanted === found ? '' : `set local ${name} = ${wanted}`;

type Callback = (error: Error | null, result?: pg.QueryResult) => void;
/** The forms of `client.query` that this program uses. Other programs may pass an object with `submit`. */
type Query = string | (pg.QueryConfig & { readonly submit?: unknown });
type Send = (query: Query, values?: unknown, callback?: Callback) => unknown;

const BEGINS = /^\s*(?:begin|start\s+transaction)\b/i;
const ENDS = /^\s*(?:commit|end|rollback|abort)\b(?!\s+(?:transaction\s+|work\s+)?to\b)/i;

/**
 * Begins each transaction of a client with these settings, and runs each statement outside of a transaction in one of its
 * own. Its three messages leave together, so the client must be in pipeline mode, without COPY. A statement has its result
 * after the commit; if one of the three fails, the statement fails with the first error.
 */
export function limitTransactions(client: pg.ClientBase, settings: string): void {
  if (settings === '') return;
  const send = client.query.bind(client) as Send;
  let inTransaction = false;

  const alone = (query: Query, values: unknown, callback: Callback): void => {
    let failure: Error | undefined;
    let answer: pg.QueryResult | undefined;
    const fail = (error: Error | null): void => {
      if (error !== null) failure ??= error;
    };
    send(`begin; ${settings}`, undefined, fail);
    send(query, values, (error, result) => {
      fail(error);
      answer = result;
    });
    send('commit', undefined, (error) => {
      fail(error);
      if (failure === undefined) callback(null, answer);
      else callback(failure);
    });
  };
  const limited: Send = (query, given, last) => {
    const text = typeof query === 'string' ? query : query.text;
    const values = typeof given === 'function' ? undefined : given;
    const callback = (typeof given === 'function' ? given : last) as Callback | undefined;
    if (BEGINS.test(text)) {
      inTransaction = true;
      return send(`${text}; ${settings}`, undefined, callback);
    }
    if (inTransaction) {
      if (ENDS.test(text)) inTransaction = false;
      return send(query, values, callback);
    }
    if (callback !== undefined) return alone(query, values, callback);
    return new Promise((resolve, reject) => {
      alone(query, values, (error, result) => (error === null ? resolve(result) : reject(error)));
    });
  };
  client.query = limited as typeof client.query;
}
