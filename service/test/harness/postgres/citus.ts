import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { ensurePartitions } from '../../../src/audit-log/partitions.ts';
import { distribute } from '../../../src/database/citus/distribute.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { POSTGRESQL_15 } from './external-15.ts';
import { administer, type CitusNode, databaseUrl } from './template.ts';

/** The setting that adds the project `citus`: the URL of a database on the coordinator of a running cluster. */
const CITUS_URL = 'SVC_TEST_CITUS_URL';

/**
 * Global setup of the project that runs on a cluster of Citus. The tests create their databases on all of its nodes. vitest
 * loads it only with this setting.
 *
 * @public
 */
export default async function setup(project: TestProject): Promise<void> {
  const url = process.env[CITUS_URL] ?? '';
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<CitusNode>(
      `select nodename as host, nodeport as port from pg_dist_node where noderole = 'primary' order by groupid`,
    );
    project.provide('databaseServer', {
      url,
      // For tests that start a server of their own.
      binaries: { initdb: join(POSTGRESQL_15, 'initdb'), postgres: join(POSTGRESQL_15, 'postgres') },
      locale: ['--locale=C.UTF-8'],
      nodes: rows,
    });
  } finally {
    await client.end();
  }
}

const urlOfNode = (url: string, { host, port }: CitusNode): string =>
  Object.assign(new URL(url), { hostname: host, port: String(port) }).href;

/** Creates a database on all nodes. With `schema`: with the tables of the service, distributed. */
export async function createClusterDatabase(
  server: { readonly url: string; readonly nodes: readonly CitusNode[] },
  name: string,
  schema: boolean,
): Promise<void> {
  await onNodes(server, async (url) => {
    await administer(url, `create database ${name} template template0 strategy file_copy`);
    await administer(databaseUrl(url, name), 'create extension citus');
  });
  const pool = new pg.Pool({ connectionString: databaseUrl(server.url, name), max: 1 });
  try {
    const [coordinator, ...workers] = server.nodes;
    await pool.query('select citus_set_coordinator_host($1, $2)', [coordinator?.host, coordinator?.port]);
    for (const { host, port } of workers) await pool.query('select citus_add_node($1, $2)', [host, port]);
    if (!schema) return;
    await migrate(pool);
    await ensurePartitions(pool, Date.now());
    await distribute(pool);
  } finally {
    await pool.end();
  }
}

/** Removes a database from all nodes. The nodes keep connections to each other, which end here. */
export async function dropClusterDatabase(
  server: { readonly url: string; readonly nodes: readonly CitusNode[] },
  name: string,
): Promise<void> {
  await onNodes(server, (url) => administer(url, `drop database if exists ${name} with (force)`));
}

async function onNodes(
  { url, nodes }: { readonly url: string; readonly nodes: readonly CitusNode[] },
  work: (url: string) => Promise<void>,
): Promise<void> {
  await Promise.all(nodes.map((node) => work(urlOfNode(url, node))));
}
