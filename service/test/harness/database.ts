import { randomBytes } from 'node:crypto';
import { waitFor } from '@svc/embedded-postgres/testing';
import pg from 'pg';
import { inject, vi } from 'vitest';
import { CONNECTIONS_MIN } from '../../src/config/limits.ts';
import { createLanes, type Lanes } from '../../src/database/lanes.ts';
import { createPool } from '../../src/database/pool.ts';
import { onFileEnd } from './cleanup.ts';
import { createClusterDatabase, dropClusterDatabase } from './postgres/citus.ts';
import { administer, type DatabaseServer, databaseUrl, TEMPLATE } from './postgres/template.ts';

const POOL_SIZE = 4;
/** How long the server may list a closed connection. */
const LEAVING_MS = 2_000;
const LEAVING_INTERVAL_MS = 5;

/** A database of one test file. */
export type TestDatabase = {
  readonly pool: pg.Pool;
  readonly url: string;
  /** Ends the pool and removes the database. Throws if a connection to the database is still open. */
  readonly drop: () => Promise<void>;
};

/**
 * Creates a database for the calling test file, with the service's whole schema, or empty with `{ template: false }`. The
 * database is dropped at the end of the file, after all hooks. The file fails if a connection to it is still open then.
 */
export async function createTestDatabase(
  options: { readonly template?: boolean } = {},
): Promise<TestDatabase> {
  const server = inject('databaseServer');
  if (server === undefined) throw new Error('this test file runs in a project without a database server');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await createDatabase(server, name, options.template !== false);
  const url = databaseUrl(server.url, name);
  // The query that uses a broken connection reports it.
  const pool = createPool({ url, max: POOL_SIZE, name: 'test', onError: () => undefined });
  let dropped: Promise<void> | undefined;
  const drop = (): Promise<void> => {
    dropped ??= dropDatabase(server, name, pool);
    return dropped;
  };
  // If the test has dropped the database itself, it has got the result.
  onFileEnd(async () => (dropped === undefined ? drop() : undefined));
  return { pool, url, drop };
}

/**
 * Connections to the database, divided as in a process of the service. Default: the fewest, and a pipelined one. They end
 * with the test file.
 */
export function testLanes({ url }: Pick<TestDatabase, 'url'>, connections = CONNECTIONS_MIN + 1): Lanes {
  const lanes = createLanes({ url, name: 'test lanes', onError: () => undefined }, connections);
  onFileEnd(() => lanes.end());
  return lanes;
}

async function createDatabase(server: DatabaseServer, name: string, schema: boolean): Promise<void> {
  const { url, nodes } = server;
  if (nodes !== undefined) return createClusterDatabase({ url, nodes }, name, schema);
  const template = schema ? TEMPLATE : 'template0';
  await administer(url, `create database ${name} template ${template} strategy file_copy`);
}

async function dropDatabase({ url, nodes }: DatabaseServer, name: string, pool: pg.Pool): Promise<void> {
  const checkedOut = pool.totalCount - pool.idleCount;
  // The end of a pool waits for all clients that are in use, so it would wait forever for a leaked one.
  if (checkedOut === 0 && !pool.ended) await pool.end();
  const leaked = await leakedConnections(url, name);
  // Without leaks, nothing is ended by force: a running vacuum ends by itself, and this role may not end it.
  if (nodes !== undefined) await dropClusterDatabase({ url, nodes }, name);
  else await administer(url, `drop database if exists ${name}${leaked.length > 0 ? ' with (force)' : ''}`);
  if (leaked.length > 0) throw new Error(`connections to ${name} were left open: ${leaked.join('; ')}`);
}

async function leakedConnections(serverUrl: string, name: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  const list = async (): Promise<string[]> => {
    const { rows } = await client.query<{ text: string }>(
      `select format('%s %s: %s', coalesce(nullif(application_name, ''), 'unnamed'), state, left(query, 200)) as text
       from pg_stat_activity where datname = $1 and backend_type = 'client backend' and application_name not like 'citus\\_%'`,
      [name],
    );
    return rows.map((row) => row.text);
  };
  try {
    await waitFor(
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

/** Runs `work` and returns the statements that this process has sent to databases meanwhile, as JSON. */
export async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    return query.mock.calls.map(([statement]) => {
      if (typeof statement === 'string') return statement;
      const { name, text, values }: pg.QueryConfig = statement;
      return JSON.stringify({ name, text, values });
    });
  } finally {
    query.mockRestore();
  }
}
