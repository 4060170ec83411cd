import type pg from 'pg';
import type { BaseLogger } from 'pino';
import { type MigrationFile, readMigrationFiles } from './migration-files.ts';

/** The oldest server this program works on, as in `server_version_num`. */
const OLDEST_SERVER_VERSION_NUM = 15_00_00;

/** SQLSTATEs of two nodes that create `schema_migrations` in the same instant. */
const CREATION_RACES: ReadonlySet<string> = new Set(['23505', '42P07', '42710']);

const BOOTSTRAP = `
  create table if not exists schema_migrations (
    number     integer primary key,
    name       text not null,
    sha256     text not null,
    applied_at timestamptz not null default now()
  )`;

/** Why a database cannot be brought to this program's schema; the message is fit for the operator. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** What `migrate` did: the numbers that this call applied itself, in order, and the number it ended at. */
export type MigrationResult = { readonly applied: readonly number[]; readonly version: number };

type AppliedMigration = { readonly number: number; readonly name: string; readonly sha256: string };

/**
 * Brings a database to this program's schema. Safe when many nodes call it at once: each migration is one
 * transaction that first inserts its own number, so the others wait for it and then go on with the next.
 *
 * Throws MigrationError on a server older than PostgreSQL 15, on a database that is newer than this program,
 * on a migration that was edited after it had been applied, and on SQL that fails (with file and line).
 */
export async function migrate(
  pool: pg.Pool,
  log?: Pick<BaseLogger, 'info'>,
  files?: readonly MigrationFile[],
): Promise<MigrationResult> {
  const wanted = files ?? (await readMigrationFiles());
  const client = await pool.connect();
  try {
    const result = await migrateOn(client, wanted, log);
    client.release();
    return result;
  } catch (error) {
    // Whatever state the connection is in, nobody else gets it.
    client.release(true);
    throw error;
  }
}

/**
 * Throws MigrationError unless a database has this program's schema. Changes nothing: for commands that must not bring
 * it there, since the service of another version may be using it.
 */
export async function requireSchema(pool: pg.Pool, files?: readonly MigrationFile[]): Promise<void> {
  const wanted = files ?? (await readMigrationFiles());
  const client = await pool.connect();
  try {
    await refuseOldServer(client);
    const done = (await hasHistory(client)) ? await readHistory(client) : [];
    refuseForeignHistory(done, wanted);
    if (done.length === wanted.length) return;
    throw new MigrationError(
      done.length === 0
        ? 'the database has no tables of this program: no service was started on it yet'
        : `the database is older than this program: it has ${done.length} of ${wanted.length} migrations (up to ` +
            `${done.at(-1)?.name}). Start the service with this program, or run the program that the database is from.`,
    );
  } finally {
    client.release();
  }
}

async function migrateOn(
  client: pg.PoolClient,
  files: readonly MigrationFile[],
  log: Pick<BaseLogger, 'info'> | undefined,
): Promise<MigrationResult> {
  await refuseOldServer(client);
  const done = await appliedMigrations(client);
  refuseForeignHistory(done, files);
  const applied: number[] = [];
  for (const file of files.slice(done.length)) {
    if (await applyMigration(client, file)) {
      applied.push(file.number);
      log?.info({ migration: file.name }, `applied migration ${file.name}`);
    }
  }
  // Another node may have been the one that applied; it may also be another program.
  if (applied.length < files.length - done.length) {
    refuseForeignHistory(await appliedMigrations(client), files);
  }
  return { applied, version: files.length };
}

async function refuseOldServer(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ number: number; version: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version`,
  );
  const [server] = rows;
  if (server === undefined || server.number < OLDEST_SERVER_VERSION_NUM) {
    throw new MigrationError(
      `the database server is PostgreSQL ${server?.version}; this program needs PostgreSQL 15 or newer`,
    );
  }
}

async function appliedMigrations(client: pg.PoolClient): Promise<AppliedMigration[]> {
  if (!(await hasHistory(client))) await createHistory(client);
  return readHistory(client);
}

async function hasHistory(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ present: boolean }>(
    `select to_regclass('schema_migrations') is not null as present`,
  );
  return rows[0]?.present === true;
}

async function readHistory(client: pg.PoolClient): Promise<AppliedMigration[]> {
  const select = 'select number, name, sha256 from schema_migrations order by number';
  return (await client.query<AppliedMigration>(select)).rows;
}

async function createHistory(client: pg.PoolClient): Promise<void> {
  try {
    await client.query(BOOTSTRAP);
  } catch (error) {
    // `if not exists` does not cover two sessions at once: the loser waits for the winner and fails after it.
    if (!CREATION_RACES.has(sqlState(error))) throw error;
  }
}

/** Compares what a database has with what this program knows, number by number. */
function refuseForeignHistory(done: readonly AppliedMigration[], files: readonly MigrationFile[]): void {
  for (const [index, row] of done.entries()) {
    const file = files[index];
    if (file === undefined) {
      throw new MigrationError(
        `the database is newer than this program: it has migration ${done.at(-1)?.name}, ` +
          `this program knows ${files.length} (up to ${files.at(-1)?.name ?? 'none'}). Start the newer program.`,
      );
    }
    if (row.number !== file.number || row.sha256 !== file.sha256) {
      throw new MigrationError(
        `migration ${file.name} is not the one that the database has (number ${row.number}, ${row.name}, ` +
          `sha256 ${row.sha256}). A migration is never edited after it has been applied: restore the file ` +
          'and put the change into a new one.',
      );
    }
  }
}

/** Applies one file in one transaction. False when another node has it already. */
async function applyMigration(client: pg.PoolClient, file: MigrationFile): Promise<boolean> {
  await client.query('begin');
  // A pool's time limits are made for requests; a migration may take long, and waiting for another node too.
  await client.query('set local statement_timeout = 0; set local lock_timeout = 0');
  // Waits here while another node's transaction holds the same number, and inserts nothing if it commits.
  const { rowCount } = await client.query(
    'insert into schema_migrations (number, name, sha256) values ($1, $2, $3) on conflict do nothing',
    [file.number, file.name, file.sha256],
  );
  if (rowCount === 0) {
    await client.query('rollback');
    return false;
  }
  try {
    await client.query(file.sql);
  } catch (error) {
    await client.query('rollback');
    throw new MigrationError(`migration ${file.name}${line(file.sql, error)} failed: ${message(error)}`, {
      cause: error,
    });
  }
  await client.query('commit');
  return true;
}

/** ` line n` from the character position that PostgreSQL reports, or nothing. */
function line(sql: string, error: unknown): string {
  const position = Number((error as { position?: string }).position ?? Number.NaN);
  return Number.isNaN(position) ? '' : ` line ${sql.slice(0, position).split('\n').length}`;
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function sqlState(error: unknown): string {
  return (error as { code?: string }).code ?? '';
}
