import { fileURLToPath } from 'node:url';
import { excludeBackups } from '@svc/database-copy/lock';
import { type MigrationFile, readMigrationFiles as readFiles } from '@svc/migration-files';
import { partsOfMigration, splitStatements } from '@svc/migration-files/split';
import { rightsMistake, serverMistake, type UnsuitableDatabaseError } from '@svc/postgres-sessions';
import type { Queryable } from '@svc/turns/lane';
import type pg from 'pg';
import type { BaseLogger } from 'pino';
import { errorMessage } from '../config/errors.ts';
import { buildEventIndex, buildWordIndexes } from './build-indexes.ts';
import { allowDistributedChanges, distributeNewTables } from './citus/distribute.ts';
import { copyAudits } from './copy-audits.ts';
import { failedFor } from './errors.ts';
import { begin, commit, rollback } from './pool.ts';
import { statement } from './statement.ts';

export type { MigrationFile } from '@svc/migration-files';

const DIRECTORY = fileURLToPath(new URL('../../migrations', import.meta.url));
/** Reads the migrations of a folder. Default: those of this program. */
export const readMigrationFiles = (directory = DIRECTORY): Promise<MigrationFile[]> => readFiles(directory);

/** Creates the table that lists the applied migrations. */
export const createHistoryTable = statement('create_history', 'control')`
  create table if not exists schema_migrations (
    number     integer primary key,
    name       text not null,
    sha256     text not null,
    applied_at timestamptz not null default now()
  )`;

/** The database cannot be migrated to the schema of this program. The message is for the operator. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** Work before a migration, which locks nothing for long. Several nodes may do it at once, and a start may continue it. */
const PREPARATIONS: Readonly<Record<string, typeof copyAudits>> = {
  '0022_audits_with_short_keys.sql': copyAudits,
  '0039_search_indexes.sql': buildWordIndexes,
  '0041_audit_log_by_event.sql': buildEventIndex,
};

/**
 * Tables that are locked first in the transaction of a migration, whose file is never edited. Nodes of 0.1.0 that create a
 * record lock companies first. In the other order, they and the migration wait for each other. No cluster has such nodes.
 */
const FIRST_LOCKS: Readonly<Record<string, string>> = {
  '0017_companies_with_records.sql': 'companies, audits, mentions, content',
  '0022_audits_with_short_keys.sql': 'companies, audits',
};

/** How often a migration is tried that PostgreSQL ends because it and other transactions wait for each other. */
const ATTEMPTS_MAX = 10;

/** The numbers that this call applied, in order, and the number of the last migration. */
export type MigrationResult = { readonly applied: readonly number[]; readonly version: number };
type AppliedMigration = { readonly number: number; readonly name: string; readonly sha256: string };

/**
 * Migrates a database to the schema of this program. Several nodes may call it at the same time: each migration is one
 * transaction that first inserts its number, so the other nodes wait for this transaction and continue with the next one.
 *
 * Throws MigrationError if the database is newer than this program, a migration was edited after it had been applied, or its
 * SQL fails (with file and line). Throws UnsuitableDatabaseError if the server, the encoding or the rights do not suffice.
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
    client.release(true); // The state of the connection is unknown.
    throw error;
  }
}

/**
 * Throws MigrationError unless a database has the schema of this program. Changes nothing: for commands that must not
 * migrate, because a service of another version may use the database.
 */
export async function requireSchema(pool: pg.Pool, files?: readonly MigrationFile[]): Promise<void> {
  const wanted = files ?? (await readMigrationFiles());
  const client = await pool.connect();
  try {
    refuse(await serverMistake(client));
    const done = await readApplied(client);
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
  refuse(await serverMistake(client));
  const before = await readApplied(client);
  if (before.length < files.length) refuse(await rightsMistake(client));
  if (before.length === 0) await createHistory(client);
  const done = await readApplied(client);
  refuseForeignHistory(done, files);
  const applied: number[] = [];
  for (const file of files.slice(done.length)) {
    await PREPARATIONS[file.name]?.(client, log).catch((error: unknown) => {
      const text = `the work before migration ${file.name} failed: ${errorMessage(error)}. The next start continues it.`;
      throw new MigrationError(text, { cause: error });
    });
    if (await applyDespiteDeadlocks(client, file)) {
      applied.push(file.number);
      log?.info({ migration: file.name }, `applied migration ${file.name}`);
    }
  }
  // Another node has applied some. It may run another version of the program.
  if (applied.length < files.length - done.length) refuseForeignHistory(await readApplied(client), files);
  return { applied, version: files.length };
}

function refuse(mistake: UnsuitableDatabaseError | undefined): void {
  if (mistake !== undefined) throw mistake;
}

const selectPresent = statement('migrations_present', 'control')`
  select to_regclass('schema_migrations') is not null as present`;

const selectApplied = statement(
  'applied_migrations',
  'background: it reads all migrations when a process starts',
)`
  select number, name, sha256 from schema_migrations order by number`;

/** The migrations that a database has, in order. None if it has no tables of this program. */
export async function readApplied(client: Queryable): Promise<readonly AppliedMigration[]> {
  const { rows } = await client.query<{ present: boolean }>(selectPresent());
  if (rows[0]?.present !== true) return [];
  return (await client.query<AppliedMigration>(selectApplied())).rows;
}

async function createHistory(client: pg.PoolClient): Promise<void> {
  try {
    await client.query(createHistoryTable());
  } catch (error) {
    // With `if not exists`, the second of two sessions waits for the first one and then fails.
    if (!failedFor(error, 'unique_violation', 'duplicate_table', 'duplicate_object')) throw error;
  }
}

/** Throws MigrationError if the database has a migration that this program does not have. */
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

const removeTimeLimits = statement('remove_time_limits', 'control')`
  set local statement_timeout = 0; set local lock_timeout = 0`;
const insertMigration = statement('record_migration', 'request')`
  insert into schema_migrations (number, name, sha256) values ($1, $2, $3) on conflict do nothing`;

/** A deadlock undoes the whole transaction, so the migration can run again. */
async function applyDespiteDeadlocks(client: pg.PoolClient, file: MigrationFile): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await applyMigration(client, file);
    } catch (error) {
      const wasDeadlock = error instanceof MigrationError && failedFor(error.cause, 'deadlock_detected');
      if (!wasDeadlock || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

/** Applies one migration in one transaction. Returns false if another node has applied it. */
async function applyMigration(client: pg.PoolClient, file: MigrationFile): Promise<boolean> {
  await client.query(begin());
  // The time limits of the pool are for requests.
  await client.query(removeTimeLimits());
  // If another node applies this migration, this waits for its transaction, and inserts nothing if it commits.
  const { rowCount } = await client.query(insertMigration(file.number, file.name, file.sha256));
  if (rowCount === 0) {
    await client.query(rollback());
    return false;
  }
  if (!(await excludeBackups(client)))
    throw new MigrationError(
      'a backup of the database runs (svcd backup), and new migrations must wait for it. Start again when it has ended.',
    );
  const inCluster = await allowDistributedChanges(client);
  const tables = inCluster ? undefined : FIRST_LOCKS[file.name];
  const locks = tables === undefined ? [] : [`lock table ${tables} in access exclusive mode`];
  for (const part of [...locks, ...partsOfMigration(file.sql)]) {
    let sql = part;
    try {
      for (sql of inCluster ? splitStatements(part) : [part]) await client.query(sql);
      await distributeNewTables(client);
    } catch (error) {
      await client.query(rollback());
      const text = `migration ${file.name}${line(sql, error)} failed: ${errorMessage(error)}`;
      throw new MigrationError(text, { cause: error });
    }
  }
  await commit(client);
  return true;
}

/** ` line n`, from the position that PostgreSQL reports. Empty if PostgreSQL reports no position. */
function line(sql: string, error: unknown): string {
  const position = Number((error as { position?: string }).position ?? Number.NaN);
  return Number.isNaN(position) ? '' : ` line ${sql.slice(0, position).split('\n').length}`;
}
