import { type Binaries, startThrowawayServer } from '@svc/embedded-postgres/testing';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { ensurePartitions } from '../../../src/audit-log/partitions.ts';
import { migrate } from '../../../src/database/migrate.ts';

/** The migrated database that every test database is a clone of. */
export const TEMPLATE = 'svc_template';

/** A node of a cluster of Citus. The first of several is the coordinator. */
export interface CitusNode {
  readonly host: string;
  readonly port: number;
}

/** The server that the projects with a database provide to their tests. */
export type DatabaseServer = {
  readonly url: string;
  /** The programs of the server, and the locale below, for tests that start another server. */
  readonly binaries: Binaries;
  readonly locale?: readonly string[];
  /** The nodes of a cluster of Citus. Absent: the server is one machine. */
  readonly nodes?: readonly CitusNode[];
};

declare module 'vitest' {
  interface ProvidedContext {
    /** Absent in the project without a database. */
    databaseServer: DatabaseServer | undefined;
  }
}

/** Gives the template the schema and partitions that a running service has. */
async function prepare(pool: pg.Pool): Promise<void> {
  await migrate(pool);
  await ensurePartitions(pool, Date.now());
}

/** Starts the project's server, creates the template, and provides the server to the tests. Resolves with the teardown. */
export async function provideServer(
  project: TestProject,
  binaries: Binaries,
  locale?: readonly string[],
): Promise<() => Promise<void>> {
  const server = await startThrowawayServer(binaries, locale);
  try {
    await makeTemplate(server.url);
  } catch (error) {
    await server.stop();
    throw error;
  }
  project.provide('databaseServer', {
    url: server.url,
    binaries: { initdb: binaries.initdb, postgres: binaries.postgres },
    ...(locale === undefined ? {} : { locale }),
  });
  return server.stop;
}

async function makeTemplate(url: string): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    await admin.query(`create database ${TEMPLATE}`);
    const pool = new pg.Pool({ connectionString: databaseUrl(url, TEMPLATE), max: 1 });
    try {
      await prepare(pool);
    } finally {
      await pool.end();
    }
  } finally {
    await admin.end();
  }
}

/** The URL of another database of the same server. */
export function databaseUrl(url: string, database: string): string {
  return url.replace(/@([^/]*)\/[^?]*/, `@$1/${database}`);
}

/** Runs a statement on a connection of its own. */
export async function administer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
