import { findEmbedded } from '@svc/embedded-postgres';
import pg from 'pg';
import { readStat } from '../measure/processes.ts';
import type { Installation } from './installation.ts';

/** The benchmark's own connection to the database of a running service. */
export interface Database {
  readonly url: string;
  readonly client: pg.Client;
  /** The main process of PostgreSQL. */
  readonly pid: number;
}

/** Connects to the service's database. Throws if it does not run on this machine. */
export async function connectDatabase({ databaseUrl, env }: Installation): Promise<Database> {
  const url = databaseUrl ?? (await findEmbedded(env['SVC_DATA_DIR'] ?? ''))?.url;
  if (url === undefined) throw new Error('The embedded PostgreSQL does not run.');
  const client = new pg.Client({ connectionString: url, application_name: 'bench' });
  // If the connection breaks, the next query fails. Without a listener, this process would end without removing anything.
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = readStat(rows[0]?.pid ?? 0)?.parent;
  if (pid === undefined)
    throw new Error('PostgreSQL must run on this machine: its CPU time is read from /proc.');
  return { url, client, pid };
}

/**
 * Analyzes all tables, then keeps autovacuum from doing it again: from now on, the statistics grow older than the data.
 * Autovacuum still vacuums.
 */
export async function freezeStatistics({ client }: Database): Promise<void> {
  await client.query('vacuum analyze');
  await client.query(`
    do $$ declare t regclass; begin
      for t in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
        execute format('alter table %s set (autovacuum_analyze_threshold = 2147483647)', t);
      end loop;
    end $$`);
}

/** Copies the audits once into a table of the bare server, with an index that covers a page. */
export async function copyForBareServer({ client }: Database): Promise<void> {
  const { rows } = await client.query<{ copied: boolean }>(
    `select to_regclass('bare.audits') is not null as copied`,
  );
  if (rows[0]?.copied === true) return;
  await client.query(`
    create schema bare;
    create table bare.audits as
      select workspace_id collate "C" as workspace_id, created_at, id collate "C" as id, doc from audits;
    create unique index on bare.audits (workspace_id, created_at, id) include (doc);`);
  await client.query('vacuum analyze bare.audits');
}
