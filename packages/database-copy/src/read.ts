import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { begin } from './catalog/session.ts';
import { quoted, readTables, tableNames } from './catalog/tables.ts';
import { CopyError } from './errors.ts';
import { decode } from './stream/decode.ts';
import type { Details, Part, TableEnd, TableStart, Totals } from './stream/parts.ts';
import { sumRows } from './stream/rows.ts';

export interface ReadOptions {
  /** Creates the empty tables, in the transaction of the restore. Throws if the backup is not one that it knows. */
  readonly createTables: (details: Details, client: pg.ClientBase) => Promise<void>;
  /** Runs after all rows, in the transaction of the restore. */
  readonly finish?: (client: pg.ClientBase) => Promise<void>;
  /** Is called after each chunk with the rows so far. */
  readonly onProgress?: (rows: number) => void;
}

export interface BackupContents extends Totals {
  readonly details: Details;
  /** Tables of the backup that `createTables` did not create. They were not restored. */
  readonly unknown: readonly string[];
}

/** Far more than any database of one program has. */
const TABLES_MAX = 10_000;

/**
 * Restores a backup into an empty database, in one transaction: after a failure, or if a process is killed, the database is
 * empty again. Checks each part, each table and the end. Needs a few MiB whatever the tables hold. The role must own
 * the tables, and needs no other right.
 *
 * Throws CopyError if the database has tables, or if the backup is damaged, incomplete or does not fit to the tables.
 */
export async function readBackup(
  input: AsyncIterable<Uint8Array>,
  client: pg.ClientBase,
  options: ReadOptions,
): Promise<BackupContents> {
  const parts = decode(input);
  try {
    const details = (await expectPart(parts, 'details')).value;
    await begin(client, 'isolation level read committed, read write');
    await refuseTables(client);
    await options.createTables(details, client);
    const contents = await restoreTables(parts, client, options);
    await options.finish?.(client);
    const { command } = await client.query('commit');
    if (command !== 'COMMIT') throw new Error('the transaction of the restore was rolled back');
    return { ...contents, details };
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    await parts.return(undefined);
  }
}

async function refuseTables(client: pg.ClientBase): Promise<void> {
  const names = await tableNames(client);
  if (names.length === 0) return;
  const some = names.slice(0, 3).join(', ');
  throw new CopyError(
    `the database is not empty: it has ${names.length} tables (${some}${names.length > 3 ? ', …' : ''}). ` +
      'A backup is only restored into an empty database.',
  );
}

async function restoreTables(
  parts: AsyncGenerator<Part>,
  client: pg.ClientBase,
  { onProgress }: ReadOptions,
): Promise<Omit<BackupContents, 'details'>> {
  const tables = new Map((await readTables(client)).map((table) => [table.name, table]));
  const read = new Set<string>();
  let totals: Totals = { tables: 0, rows: 0, bytes: 0 };
  for (;;) {
    const part = await expectPart(parts, 'table', 'end');
    if (part.kind === 'end') {
      refuseDifference('the backup', totals, part.value);
      await expectNothing(parts);
      break;
    }
    const { name } = part.value;
    if (read.has(name)) throw new CopyError(`the backup is damaged: it has the table ${name} twice`);
    if (read.size === TABLES_MAX)
      throw new CopyError(`the backup is damaged: it has more than ${TABLES_MAX} tables`);
    read.add(name);
    const target = tables.get(name);
    const before = totals.rows;
    const end = await restoreTable(parts, client, part.value, target, (rows) => onProgress?.(before + rows));
    totals = { tables: totals.tables + 1, rows: totals.rows + end.rows, bytes: totals.bytes + end.bytes };
  }
  const missing = [...tables.keys()].find((name) => !read.has(name));
  if (missing !== undefined) throw new CopyError(`the backup has no table ${missing}`);
  return { ...totals, unknown: [...read].filter((name) => !tables.has(name)) };
}

/** Reads the rows of a table, and writes them unless the database does not have the table. */
async function restoreTable(
  parts: AsyncGenerator<Part>,
  client: pg.ClientBase,
  table: TableStart,
  target: TableStart | undefined,
  onRows: (rows: number) => void,
): Promise<TableEnd> {
  const writer = target === undefined ? undefined : await openTable(client, table, target);
  const sum = sumRows();
  try {
    for (;;) {
      const part = await expectPart(parts, 'rows', 'table-end');
      if (part.kind === 'table-end') {
        refuseDifference(`the table ${table.name}`, sum.end(), part.value);
        await writer?.end(part.value.rows);
        return part.value;
      }
      sum.add(part.text);
      await writer?.write(part.text);
      onRows(sum.rows());
    }
  } catch (error) {
    await writer?.abort(error);
    throw error;
  }
}

interface TableWriter {
  readonly write: (text: Buffer) => Promise<void>;
  /** Throws CopyError unless the table has got `rows`. */
  readonly end: (rows: number) => Promise<void>;
  readonly abort: (reason: unknown) => Promise<void>;
}

async function openTable(client: pg.ClientBase, table: TableStart, target: TableStart): Promise<TableWriter> {
  const name = quoted(table.name);
  if ([...table.columns].sort().join() !== [...target.columns].sort().join())
    throw new CopyError(
      `the table ${table.name} has the columns ${table.columns.join(', ')} in the backup, ` +
        `and ${target.columns.join(', ')} in the database`,
    );
  await createPartitions(client, table, target);
  // Triggers would count and note the rows as new ones. Those of foreign keys still check the rows.
  await client.query(`alter table ${name} disable trigger user`);
  const copy = client.query(copyFrom(`copy ${name} (${quoted(...table.columns)}) from stdin`));
  let refused = false;
  const done = finished(copy);
  // The next call throws it.
  done.catch(() => {
    refused = true;
  });
  return {
    async write(text) {
      if (refused) return done;
      if (!copy.write(text)) await Promise.race([once(copy, 'drain'), done]);
    },
    async end(rows) {
      copy.end();
      await done;
      if (copy.rowCount !== rows)
        throw new CopyError(`the table ${table.name} got ${copy.rowCount} of ${rows} rows`);
      await client.query(`alter table ${name} enable trigger user`);
    },
    async abort(reason) {
      if (!refused) copy.destroy(reason instanceof Error ? reason : new Error(String(reason)));
      await done.catch(() => undefined);
    },
  };
}

/** Creates the partitions that the database does not have yet, each as a table that is then attached. */
async function createPartitions(client: pg.ClientBase, table: TableStart, target: TableStart): Promise<void> {
  for (const { name, from, to } of table.partitions) {
    if (target.partitions.some((partition) => partition.name === name)) continue;
    const [parent, child] = [quoted(table.name), quoted(name)];
    const bounds = `from (${pg.escapeLiteral(from)}) to (${pg.escapeLiteral(to)})`;
    await client.query(`create table ${child} (like ${parent} including all)`);
    await client.query(`alter table ${parent} attach partition ${child} for values ${bounds}`);
  }
}

async function expectPart<K extends Part['kind']>(
  parts: AsyncGenerator<Part>,
  ...kinds: readonly K[]
): Promise<Extract<Part, { readonly kind: K }>> {
  const { value } = await parts.next();
  const part = value as Part | undefined;
  if (part !== undefined && kinds.some((kind) => kind === part.kind))
    return part as Extract<Part, { readonly kind: K }>;
  throw new CopyError(
    `the backup is damaged: it has ${part?.kind ?? 'nothing'} where ${kinds.join(' or ')} belongs`,
  );
}

async function expectNothing(parts: AsyncGenerator<Part>): Promise<void> {
  if ((await parts.next()).done !== true)
    throw new CopyError('the backup is damaged: it continues after its end');
}

function refuseDifference<T extends object>(what: string, found: T, expected: T): void {
  for (const [name, value] of Object.entries(found))
    if (value !== (expected as Readonly<Record<string, unknown>>)[name])
      throw new CopyError(`the backup is damaged: ${what} has other ${name} than its end says`);
}
