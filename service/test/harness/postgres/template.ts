import { type Binaries, startThrowawayServer } from '@svc/embedded-postgres/testing';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { ensurePartitions } from '../../../src/audit-log/partitions.ts';
import { migrate } from '../../../src/database/migrate.ts';

/** The migrated database that every test database is a clone of. */
export const TEMPLATE = 'svc_template';

/** What the projects with a database give to their tests. */
type DatabaseServer = {
  readonly url: string;
  /** What it was made with, for a test that needs a server of its own. */
  readonly binaries: Binaries;
  readonly locale?: readonly string[];
};

declare module 'vitest' {
  interface ProvidedContext {
    /** Absent in the project without a database. */
    databaseServer: DatabaseServer | undefined;
  }
}

/** Brings the template to what a service has made of its database when it is ready. */
async function prepare(pool: pg.Pool): Promise<void> {
  await migrate(pool);
  await ensurePartitions(pool, Date.now());
}

/** Starts the project's server, makes the template and gives both to the tests; resolves with the teardown. */
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

/** The same server's URL with another database. */
export function databaseUrl(url: string, database: string): string {
  return url.replace(/@([^/]*)\/[^?]*/, `@$1/${database}`);
}
