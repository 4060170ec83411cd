import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject, vi } from 'vitest';
import { CONNECTIONS_MIN } from '../../src/config/limits.ts';
import { createLanes, type Lanes } from '../../src/database/lanes.ts';
import { createPool } from '../../src/database/pool.ts';
import { onFileEnd } from './cleanup.ts';
import { databaseUrl, TEMPLATE } from './postgres/template.ts';

const POOL_SIZE = 4;
/** How long a connection that was closed may take to leave the server's list. */
const LEAVING_MS = 2_000;
const LEAVING_INTERVAL_MS = 5;

/** A database of one test file. */
export type TestDatabase = {
  readonly pool: pg.Pool;
  readonly url: string;
  /** Ends the pool, fails when any connection to the database is left, and removes the database. */
  readonly drop: () => Promise<void>;
};

/**
 * A new database for the calling test file, with the service's whole schema: a clone of the template, or an
 * empty database with `{ template: false }`. It is dropped when the file is over, after all its hooks; a
 * connection that is still open then fails the file.
 */
export async function createTestDatabase(
  options: { readonly template?: boolean } = {},
): Promise<TestDatabase> {
  const server = inject('databaseServer');
  if (server === undefined) throw new Error('this test file runs in a project without a database server');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(
    server.url,
    `create database ${name} template ${options.template === false ? 'template0' : TEMPLATE} strategy file_copy`,
  );
  const url = databaseUrl(server.url, name);
  // A broken connection is reported by the query that runs into it.
  const pool = createPool({ url, max: POOL_SIZE, name: 'test', onError: () => undefined });
  let dropped: Promise<void> | undefined;
  const drop = (): Promise<void> => {
    dropped ??= dropDatabase(server.url, name, pool);
    return dropped;
  };
  // One that the test has dropped itself has been judged there.
  onFileEnd(async () => (dropped === undefined ? drop() : undefined));
  return { pool, url, drop };
}

/** A process's connections to the database, ended when the test file is over. */
export function testLanes({ url }: Pick<TestDatabase, 'url'>, connections = CONNECTIONS_MIN): Lanes {
  const lanes = createLanes({ url, name: 'test lanes', onError: () => undefined }, connections);
  onFileEnd(() => lanes.end());
  return lanes;
}

async function dropDatabase(serverUrl: string, name: string, pool: pg.Pool): Promise<void> {
  const checkedOut = pool.totalCount - pool.idleCount;
  // Ending a pool waits for the clients that are out, so with a leaked one it would never end.
  if (checkedOut === 0 && !pool.ended) await pool.end();
  const leaked = await leakedConnections(serverUrl, name);
  // Only what is leaked is cut: a vacuum that is at work gives way by itself, and may not be cut by us.
  await administer(serverUrl, `drop database if exists ${name}${leaked.length > 0 ? ' with (force)' : ''}`);
  if (leaked.length > 0) throw new Error(`connections to ${name} were left open: ${leaked.join('; ')}`);
}

async function leakedConnections(serverUrl: string, name: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  const list = async (): Promise<string[]> => {
    const { rows } = await client.query<{ text: string }>(
      `select format('%s %s: %s', coalesce(nullif(application_name, ''), 'unnamed'), state, left(query, 200)) as text
       from pg_stat_activity where datname = $1 and backend_type = 'client backend'`,
      [name],
    );
    return rows.map((row) => row.text);
  };
  try {
    await vi.waitFor(
      async () => {
        if ((await list()).length > 0) throw new Error('not yet');
      },
      {
        timeout: LEAVING_MS,
        interval: LEAVING_INTERVAL_MS,
      },
    );
    return [];
  } catch {
    return await list();
  } finally {
    await client.end();
  }
}

async function administer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The statements that this process sends to databases while the work runs, as JSON. */
export async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    return query.mock.calls.map(([statement]) => JSON.stringify(statement) ?? '');
  } finally {
    query.mockRestore();
  }
}
