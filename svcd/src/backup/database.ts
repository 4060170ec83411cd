import type { Writable } from 'node:stream';
import { type BackupContents, readBackup, writeBackup } from '@svc/database-copy';
import { ensurePartitions } from '@svc/service/audit-log/partitions';
import { migrate } from '@svc/service/database/migrate';
import { FOR_COMMANDS } from '@svc/service/database/pool';
import { statement } from '@svc/service/database/statement';
import { type CommandPoolOptions, withClient, withPool } from '../pool.ts';
import {
  type BackupDetails,
  createTables,
  describeBackup,
  expirePositions,
  hasDeletions,
  hasFeed,
  renewDeletions,
  requireDetails,
} from './schema.ts';

export interface BackupOptions {
  /** The secrets of the deployment, to be part of the backup. Default: they are not. */
  readonly secrets?: readonly string[];
  /** Is called with the rows so far. */
  readonly onProgress?: (rows: number) => void;
  readonly signal?: AbortSignal;
}

/** A backup that was written or restored. */
export interface BackupReport {
  readonly details: BackupDetails;
  readonly tables: number;
  readonly rows: number;
  /** Of the rows as text, not compressed. */
  readonly bytes: number;
}

/** The words of records depend on the locale of the database, and a job writes them again (docs/decisions/0040). */
const DERIVED = ['word_blocks'];

/** Writes a backup of the service's database to a stream, over one connection of its own. Does not end the stream. */
export function backupDatabase(
  url: string,
  output: Writable,
  { secrets, ...options }: BackupOptions = {},
): Promise<BackupReport> {
  return withClient(onlyOne(url, 'svcd backup'), async (client) => {
    let details: BackupDetails | undefined;
    const totals = await writeBackup(client, output, {
      ...options,
      derived: DERIVED,
      details: async (snapshot) => {
        const described = await describeBackup(snapshot, secrets);
        details = described;
        return described;
      },
    });
    return { ...totals, details: details as BackupDetails };
  });
}

export interface RestoreOptions {
  /**
   * Makes the positions of the change feed expire, because the backup lacks the last changes. Also gives deleted workspaces
   * all days again, because theirs may be over since the backup.
   */
  readonly expirePositions: boolean;
  /** Is called before anything is restored. */
  readonly accept?: (details: BackupDetails) => Promise<void>;
  /** Is called when all is restored, and not yet committed. */
  readonly beforeCommit?: (details: BackupDetails) => Promise<void>;
  /** Is called with the rows so far. */
  readonly onProgress?: (rows: number) => void;
}

export interface RestoreReport extends BackupReport {
  /** Tables of the backup that are not of this program. They were left out. */
  readonly unknown: BackupContents['unknown'];
  /** Whether newer migrations than those of the backup were applied. */
  readonly migrated: boolean;
}

const analyze = statement(
  'analyze_restored',
  'background: it reads a sample of each restored table once',
)`analyze`;

/**
 * Restores a backup into the empty database of a URL in one transaction, then applies the migrations that are newer than
 * the backup, and analyzes the tables. Throws CopyError, OperatorError or MigrationError, with text for the operator.
 */
export async function restoreDatabase(
  input: AsyncIterable<Uint8Array>,
  url: string,
  { expirePositions: expire, accept, beforeCommit, onProgress }: RestoreOptions,
): Promise<RestoreReport> {
  let details: BackupDetails | undefined;
  let expired = !expire;
  const contents = await withClient(onlyOne(url, 'svcd restore'), (client) =>
    readBackup(input, client, {
      ...(onProgress === undefined ? {} : { onProgress }),
      createTables: async (unchecked) => {
        details = requireDetails(unchecked);
        await accept?.(details);
        await createTables(details, client);
      },
      finish: async () => {
        if (!expired && (await hasFeed(client))) {
          await client.query(expirePositions());
          expired = true;
        }
        if (expire && (await hasDeletions(client))) await client.query(renewDeletions());
        if (details !== undefined) await beforeCommit?.(details);
      },
    }),
  );
  const applied = await withPool(onlyOne(url, 'svcd restore'), async (pool) => {
    const migration = await migrate(pool);
    if (!expired) await pool.query(expirePositions());
    await ensurePartitions(pool);
    await pool.query(analyze());
    return migration.applied;
  });
  return { ...contents, details: details as unknown as BackupDetails, migrated: applied.length > 0 };
}

/** One connection, without limits of time. */
const onlyOne = (url: string, name: string): CommandPoolOptions => ({
  url,
  max: 1,
  name,
  statementTimeoutMs: 0,
  ...FOR_COMMANDS,
});
