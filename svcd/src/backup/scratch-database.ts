import { randomBytes } from 'node:crypto';
import { FOR_COMMANDS } from '@svc/service/database/pool';
import { statement, statements } from '@svc/service/database/statement';
import type pg from 'pg';
import { type CommandPoolOptions, withClient, withPool } from '../pool.ts';

const CONNECTIONS = 4;
const MS_PER_SECOND = 1_000;
/** A database of this age without connections is one that a killed process has left. */
const CONNECTED_SECONDS = 60;

const scratchStatement = statements(
  'scratch_database',
  'background: a verification creates and drops one database',
);

const selectLeft = statement('left_scratch_databases', 'background: a verification looks once')`
  select datname as name from pg_database d
  where case when datname ~ '^svc_verify_[0-9]{1,12}_[0-9a-f]{16}$'
      then split_part(datname, '_', 3)::bigint < $1 else false end
    and pg_has_role(datdba, 'usage')
    and not exists (select from pg_stat_activity a where a.datid = d.oid)`;

const selectSchema = statement('scratch_schema', 'control')`select quote_ident(current_schema()) as schema`;

/**
 * What the service needs, whatever the cluster's defaults are. Every server has the locale C, and it accepts all rows: the
 * columns have their own collation, and a text in lower case is so in C too.
 */
const DEFAULTS = `encoding 'UTF8' locale_provider libc lc_collate 'C' lc_ctype 'C'`;

/** Connections to a scratch database, or to the server that has it. */
const connectionsTo = (url: string): CommandPoolOptions => ({
  url,
  max: CONNECTIONS,
  name: 'svcd backup --verify',
  ...FOR_COMMANDS,
});

/**
 * Runs `work` with a new empty database on the server of a URL, whose role must be allowed to create databases. It has the
 * schema that tables of the URL's database are in. Drops it then, and before that the ones that killed processes have left
 * there. `signal` drops it at once, so that `work` fails.
 */
export async function withScratchDatabase(
  serverUrl: string,
  signal: AbortSignal | undefined,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const seconds = Math.floor(Date.now() / MS_PER_SECOND);
  const name = `svc_verify_${seconds}_${randomBytes(8).toString('hex')}`;
  const url = inDatabase(serverUrl, name);
  await withPool(connectionsTo(serverUrl), async (pool) => {
    await dropLeft(pool, seconds - CONNECTED_SECONDS);
    const { rows } = await pool.query<{ schema: string }>(selectSchema());
    await pool.query(scratchStatement(name, `create database ${name} ${DEFAULTS} template template0`)());
    const drop = () => pool.query(dropDatabase(name));
    const end = (): void => void drop().catch(() => undefined);
    signal?.addEventListener('abort', end, { once: true });
    try {
      signal?.throwIfAborted();
      // A connection that stays open shows other processes that the database is in use.
      await withClient(connectionsTo(url), async (client) => {
        for (const { schema } of rows)
          await client.query(scratchStatement(name, `create schema if not exists ${schema}`)());
        await work(url);
      });
    } finally {
      signal?.removeEventListener('abort', end);
      await drop();
    }
  });
}

/** The name is one of ours, and so no SQL. */
const dropDatabase = (name: string): pg.QueryConfig =>
  scratchStatement(name, `drop database if exists ${name} with (force)`)();

async function dropLeft(pool: pg.Pool, beforeSeconds: number): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(selectLeft(beforeSeconds));
  for (const { name } of rows) await pool.query(dropDatabase(name));
}

/** The URL with another database. */
const inDatabase = (url: string, name: string): string =>
  url.replace(/^([^:]+:\/\/[^/?#]*)(?:\/[^?#]*)?/, `$1/${name}`);
