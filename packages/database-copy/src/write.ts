import { Readable, type Writable } from 'node:stream';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { begin } from './catalog/session.ts';
import { quoted, readTables, type Table, tableNames } from './catalog/tables.ts';
import { CopyError } from './errors.ts';
import { shareBackupLock } from './lock.ts';
import { encode, FORMAT, firstLine, send } from './stream/encode.ts';
import type { Details, TableEnd, Totals } from './stream/parts.ts';
import { inChunks, sumRows } from './stream/rows.ts';

export interface WriteOptions {
  /** What the backup says about itself. Runs in the snapshot that is copied. */
  readonly details: (client: pg.ClientBase) => Promise<Details>;
  /** Tables whose rows are left out: others can derive them again. Default: none. */
  readonly derived?: readonly string[];
  /** Is called after each chunk with the rows so far. */
  readonly onProgress?: (rows: number) => void;
  /** Ends the backup: `writeBackup` throws its reason. */
  readonly signal?: AbortSignal;
}

/** How often a table may appear or vanish between the look for tables and their locks. */
const ATTEMPTS = 5;

/**
 * Writes all tables of the current schema as they are at one moment, in the order of their foreign keys. Takes only locks
 * that no reader and writer waits for, and keeps them to the end. Waits while `output` is full, so it needs a few MiB
 * whatever the tables hold. Does not end `output`. After a failure, the connection is closed.
 *
 * Throws CopyError if a table cannot be copied, and what the database and `output` throw.
 */
export async function writeBackup(
  client: pg.ClientBase,
  output: Writable,
  { details, derived = [], onProgress, signal }: WriteOptions,
): Promise<Totals> {
  // The callback of the failed write, or of the next one, reports it. The event may come after this function has thrown.
  output.on('error', () => undefined);
  // A COPY, and the wait for a lock, cannot be ended in another way.
  const disconnect = (): void => {
    (client as unknown as { readonly connection: { readonly stream: Readable } }).connection.stream.destroy();
  };
  signal?.addEventListener('abort', disconnect, { once: true });
  try {
    await shareBackupLock(client);
    const tables = await takeSnapshot(client);
    signal?.throwIfAborted();
    const write = (bytes: Uint8Array): Promise<void> => send(output, bytes, signal);
    await write(Buffer.from(firstLine(FORMAT)));
    await write(await encode({ kind: 'details', value: await details(client) }));
    let totals: Totals = { tables: 0, rows: 0, bytes: 0 };
    for (const table of tables) {
      const before = totals.rows;
      const rows = derived.includes(table.name) ? Readable.from([]) : readRows(client, table);
      const end = await writeTable(table, rows, write, (written) => onProgress?.(before + written));
      totals = {
        tables: totals.tables + 1,
        rows: totals.rows + end.rows,
        bytes: totals.bytes + end.bytes,
      };
    }
    await write(await encode({ kind: 'end', value: totals }));
    await client.query('commit');
    return totals;
  } catch (error) {
    disconnect();
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', disconnect);
  }
}

/** Begins a transaction with locks on all tables, then takes its snapshot, so that both have the same tables. */
async function takeSnapshot(client: pg.ClientBase): Promise<readonly Table[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const names = await tableNames(client);
    if (names.length === 0) throw new CopyError('the database has no tables');
    await begin(client, 'isolation level repeatable read, read only');
    // The lock of a table with partitions includes its partitions.
    await client.query(`lock table ${quoted(...names)} in access share mode`);
    const tables = await readTables(client);
    if (tables.length === names.length && tables.every(({ name }) => names.includes(name))) return tables;
    await client.query('rollback');
  }
  throw new CopyError('the tables of the database change all the time. Try again later.');
}

async function writeTable(
  table: Table,
  rows: AsyncIterable<Buffer>,
  write: (bytes: Uint8Array) => Promise<void>,
  onRows: (rows: number) => void,
): Promise<TableEnd> {
  const { divided: _, ...start } = table;
  await write(await encode({ kind: 'table', value: start }));
  const sum = sumRows();
  for await (const text of inChunks(rows)) {
    sum.add(text);
    await write(await encode({ kind: 'rows', text }));
    onRows(sum.rows());
  }
  const end = sum.end();
  await write(await encode({ kind: 'table-end', value: end }));
  return end;
}

/** COPY of a table reads its pages in their order, whatever the settings of the planner. Partitions are read one by one. */
async function* readRows(
  client: pg.ClientBase,
  { divided, name, columns, partitions }: Table,
): AsyncGenerator<Buffer> {
  const names = divided ? partitions.map((partition) => partition.name) : [name];
  for (const relation of names)
    yield* client.query(
      copyTo(`copy ${quoted(relation)} (${quoted(...columns)}) to stdout`),
    ) as AsyncIterable<Buffer>;
}
