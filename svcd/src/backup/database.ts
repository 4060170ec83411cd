import type { Writable } from 'node:stream';
import { type BackupContents, readBackup, writeBackup } from '@svc/database-copy';
import { ensurePartitions } from '@svc/service/audit-log/partitions';
import { migrate } from '@svc/service/database/migrate';
import { createPool, FOR_COMMANDS } from '@svc/service/database/pool';
import { statement } from '@svc/service/database/statement';
import type pg from 'pg';
import { type BackupDetails, createTables, describeBackup, expirePositions } from './schema.ts';

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

/** Writes a backup of the service's database to a stream, over one connection of its own. Does not end the stream. */
export function backupDatabase(
  url: string,
  output: Writable,
  { secrets, ...options }: BackupOptions = {},
): Promise<BackupReport> {
  return withClient(url, 'svcd backup', async (client) => {
    let details: BackupDetails | undefined;
    const totals = await writeBackup(client, output, {
      ...options,
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
  /** Makes the positions of the change feed expire, because the backup lacks the last changes. */
  readonly expirePositions: boolean;
  /** Is called with the rows so far. */
  readonly onProgress?: (rows: number) => void;
}

export interface RestoreReport extends BackupReport {
  /** Tables of the backup that are not of this program. They were left out. */
  readonly unknown: BackupContents['unknown'];
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
  { expirePositions: expire, ...options }: RestoreOptions,
): Promise<RestoreReport> {
  const { details, ...contents } = await withClient(url, 'svcd restore', (client) =>
    readBackup(input, client, {
      ...options,
      createTables,
      finish: async () => {
        if (expire) await client.query(expirePositions());
      },
    }),
  );
  await withPool(url, 'svcd restore', async (pool) => {
    await migrate(pool);
    await ensurePartitions(pool);
    await pool.query(analyze());
  });
  return { ...contents, details: details as unknown as BackupDetails };
}

async function withClient<T>(
  url: string,
  name: string,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  return withPool(url, name, async (pool) => {
    const client = await pool.connect();
    try {
      return await work(client);
    } finally {
      client.release(true);
    }
  });
}

async function withPool<T>(url: string, name: string, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = createPool({
    url,
    max: 1,
    name,
    statementTimeoutMs: 0,
    ...FOR_COMMANDS,
    onError: () => undefined,
  });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
