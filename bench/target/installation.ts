import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** A service that the benchmark installs: its program, its own folder, and its settings. */
export interface Installation {
  /** The path of `svcd.ts`. */
  readonly program: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Undefined: the service runs the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined;
  /** Removes the folder and the database. The service must have ended. */
  readonly remove: () => Promise<void>;
}

export interface InstallationOptions {
  /** A PostgreSQL on this machine. The service gets a database of its own there. Default: the embedded PostgreSQL. */
  readonly postgresUrl?: string | undefined;
  /** The root of a checkout. Default: this repository. */
  readonly checkout?: string;
  /** More variables of the service. */
  readonly env?: Readonly<Record<string, string>>;
}

const REPOSITORY = join(import.meta.dirname, '../..');

export async function install({
  postgresUrl,
  checkout = REPOSITORY,
  env = {},
}: InstallationOptions): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  const database = postgresUrl === undefined ? undefined : await createDatabase(postgresUrl);
  const { PATH = '', HOME = '' } = process.env;
  return {
    program: join(checkout, 'svcd/src/svcd.ts'),
    folder,
    env: {
      PATH,
      HOME,
      ...env,
      SVC_DATA_DIR: join(folder, 'data'),
      ...(database === undefined
        ? {}
        : { SVC_DATABASE_URL: database.url, SVC_SECRET: randomBytes(32).toString('base64url') }),
    },
    databaseUrl: database?.url,
    remove: async () => {
      await database?.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function createDatabase(serverUrl: string) {
  const name = `svc_bench_${randomBytes(6).toString('hex')}`;
  const administer = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await administer(`create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(`drop database ${name} with (force)`) };
}
