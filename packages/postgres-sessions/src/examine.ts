import type pg from 'pg';
import { DURABILITY } from './settings.ts';

/** What a new connection shows of the session behind it. */
export interface ExaminedSession {
  /** Whether a pooler is in between: the server that answers is not the one that accepted the connection. */
  readonly pooled: boolean;
  /** Whether the server sees the names of prepared statements as the client sends them. */
  readonly namesUnchanged: boolean;
  /** The role, as an SQL identifier. */
  readonly role: string;
  /** The database, as an SQL identifier. */
  readonly database: string;
  /** The values of pg_settings. */
  readonly settings: Readonly<Record<string, string>>;
}

const NAME = 'svc_examine_session';
const TEXT = `select pg_backend_pid() as pid, quote_ident(session_user) as role, quote_ident(current_database()) as database,
  exists (select from pg_prepared_statements where name = '${NAME}') as unchanged,
  (select json_object_agg(name, setting) from pg_settings where name = any($1)) as settings`;

interface Row {
  readonly pid: number;
  readonly role: string;
  readonly database: string;
  readonly unchanged: boolean;
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * Examines a connection with a prepared statement that looks for itself. A pooler that supports prepared statements in
 * transaction mode gives them names of its own. With any other, a session would lack those of its client, or have those of
 * another one.
 */
export async function examineSession(
  client: pg.ClientBase,
  settings: Iterable<string>,
): Promise<ExaminedSession> {
  const { rows } = await client.query<Row>({ name: NAME, text: TEXT, values: [[...settings, DURABILITY]] });
  const [row] = rows;
  if (row === undefined) throw new Error('the examination of a session returned nothing');
  const { pid, role, database, unchanged, settings: found } = row;
  const { processID } = client as pg.ClientBase & { readonly processID: number | null };
  return { pooled: processID !== pid, namesUnchanged: unchanged, role, database, settings: found };
}
