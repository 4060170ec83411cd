import type { Details } from '@svc/database-copy';
import { rightsMistake, serverMistake } from '@svc/postgres-sessions';
import { OperatorError } from '@svc/service/config/errors';
import {
  createHistoryTable,
  type MigrationFile,
  readApplied,
  readMigrationFiles,
} from '@svc/service/database/migrate';
import { statement } from '@svc/service/database/statement';
import { plusMicroseconds, utcSeconds } from '@svc/service/database/utc';
import type pg from 'pg';
import manifest from '../../package.json' with { type: 'json' };

/** What a backup says about itself. */
export interface BackupDetails {
  /** The version of the service. */
  readonly version: string;
  /** Of PostgreSQL: `18.4`. */
  readonly serverVersion: string;
  /** When the snapshot was taken: RFC 3339, UTC. */
  readonly createdAt: string;
  /** The last migration of the schema. */
  readonly migration: Pick<MigrationFile, 'number' | 'name' | 'sha256'>;
  /** The secrets of the deployment, the issuing one first, if they were requested. */
  readonly secrets?: readonly string[];
}

const selectSnapshot = statement('backup_snapshot', 'control')`
  select current_setting('server_version') as "serverVersion",
    ${utcSeconds('now()')} as "createdAt"`;

/** Describes the database of a connection. Throws OperatorError if it has no tables of this program. */
export async function describeBackup(
  client: pg.ClientBase,
  secrets: readonly string[] | undefined,
): Promise<Details & BackupDetails> {
  const last = (await readApplied(client)).at(-1);
  if (last === undefined) throw new OperatorError('the database has no tables of this program');
  const { rows } = await client.query<Pick<BackupDetails, 'serverVersion' | 'createdAt'>>(selectSnapshot());
  const [snapshot = { serverVersion: '', createdAt: '' }] = rows;
  const { number, name, sha256 } = last;
  return {
    version: manifest.version,
    ...snapshot,
    migration: { number, name, sha256 },
    ...(secrets === undefined ? {} : { secrets }),
  };
}

/**
 * Creates the empty tables of a backup with the migrations that its database had. Throws UnsuitableDatabaseError if the
 * service cannot use the database, and OperatorError if this program does not have these migrations.
 */
export async function createTables(
  { migration, version }: BackupDetails,
  client: pg.ClientBase,
): Promise<void> {
  const mistake = (await serverMistake(client)) ?? (await rightsMistake(client));
  if (mistake !== undefined) throw mistake;
  const files = await readMigrationFiles();
  if (files[migration.number - 1]?.sha256 !== migration.sha256)
    throw new OperatorError(
      migration.number > files.length
        ? `the backup is newer than this program: it is of version ${version} with migration ${migration.name}, and ` +
            `this program knows ${files.length} migrations. Restore it with a newer program.`
        : `migration ${migration.name} of the backup is not the one of this program`,
    );
  await client.query(createHistoryTable());
  for (const file of files.slice(0, migration.number)) await client.query(file.sql);
}

/** The details of a backup. Throws OperatorError if they are not those of this service. */
export function requireDetails(details: Details): BackupDetails {
  const { version, serverVersion, createdAt, migration, secrets = [] } = details as Partial<BackupDetails>;
  const texts: readonly unknown[] = [version, serverVersion, createdAt, migration?.name, migration?.sha256];
  if (
    !texts.every((text) => typeof text === 'string') ||
    !Number.isSafeInteger(migration?.number) ||
    !Array.isArray(secrets) ||
    !secrets.every((secret) => typeof secret === 'string')
  )
    throw new OperatorError('the backup is not one of this service');
  return details as Details & BackupDetails;
}

const selectRelation = statement('find_relation', 'control')`select to_regclass($1) is not null as found`;

async function hasRelation(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(selectRelation(name));
  return rows[0]?.found === true;
}

/** Whether the schema has the change feed, which releases before it do not have. */
export const hasFeed = (client: pg.ClientBase): Promise<boolean> => hasRelation(client, 'feed_starts');

/** Whether the schema can have deleted workspaces, which releases before do not have. */
export const hasDeletions = (client: pg.ClientBase): Promise<boolean> =>
  hasRelation(client, 'workspaces_by_deletion');

/** The time is that of the database, and later than any change, so every position is older. */
export const expirePositions = statement(
  'expire_positions',
  'background: a restore expires all positions once',
)`
  with clocks as (
    update workspace_clocks set last_at = greatest(statement_timestamp(), ${plusMicroseconds('last_at', 1)})
    returning workspace_id, last_at
  )
  insert into feed_starts (workspace_id, complete_after) select workspace_id, last_at from clocks
  on conflict (workspace_id) do update set complete_after = excluded.complete_after`;

/** If a workspace has no clock, its removal had begun (service/src/jobs/remove-workspaces.ts), and it stays as it was. */
export const renewDeletions = statement(
  'renew_deletions',
  'background: a restore lets all deleted workspaces be restored again once',
)`
  update workspaces w set deleted_at = statement_timestamp()
  where deleted_at is not null and exists (select from workspace_clocks c where c.workspace_id = w.id)`;
