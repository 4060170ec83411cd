import type pg from 'pg';
import { commit, inTransaction } from '../database/pool.ts';
import { type InsertResult, insertRecords } from '../records/insert.ts';
import type { RecordInput } from '../records/row.ts';
import type { Batch } from './batches.ts';
import { finishImport, type ImportEnd, logImport } from './import-log.ts';
import { advanceRun, finishRun, type ImportRun } from './import-run.ts';
import type { ImportTarget } from './target.ts';

/** How an import's batches become transactions. Each counts the records that it adds: they are committed as one. */
export interface ImportWriter {
  /** How many batches may be given before the first of them is written. */
  readonly atOnce: number;
  readonly write: (inputs: readonly RecordInput[], batch: Batch) => Promise<InsertResult>;
  /** After the last batch: then everything is committed. */
  readonly finish: (end: ImportEnd) => Promise<void>;
  /** Takes back what is not committed. */
  readonly abandon: () => Promise<void>;
}

/** A transaction a batch: what was written stays, whatever comes after. */
export function batchWriter(target: ImportTarget): ImportWriter {
  return {
    atOnce: 1,
    write: (inputs) =>
      inTransaction(target.pool, async (client) => {
        await beginImport(client, target);
        await target.confirm?.(client);
        const result = await insertRecords(client, target.workspaceId, target.resource, inputs);
        await logImport(client, target, result.inserted.length);
        return result;
      }),
    finish: async (end) => {
      if (end.inserted > 0) await inTransaction(target.pool, (client) => finishImport(client, target, end));
    },
    abandon: () => Promise.resolve(),
  };
}

/** The same, and each transaction says how far the file is written, so that another run can continue from there. */
export function continuableWriter(target: ImportTarget, run: ImportRun): ImportWriter {
  return {
    atOnce: 1,
    write: (inputs, batch) =>
      inTransaction(target.pool, async (client) => {
        await beginImport(client, target);
        await target.confirm?.(client);
        const result = await insertRecords(client, target.workspaceId, target.resource, inputs);
        await advanceRun(client, run, batch, result);
        await logImport(client, target, result.inserted.length);
        return result;
      }),
    finish: async (end) => {
      if (!run.finished) await finishRun(target.pool, run, end);
    },
    abandon: () => Promise.resolve(),
  };
}

/** One transaction for all: it holds the workspace's clock, so that other writers wait until it ends. */
export async function atomicWriter(target: ImportTarget): Promise<ImportWriter> {
  const client = await target.pool.connect();
  let open = true;
  let records = 0;
  const end = async (statement: 'commit' | 'rollback'): Promise<void> => {
    if (!open) return;
    open = false;
    let broken: Error | undefined;
    try {
      await (statement === 'commit' ? commit(client) : client.query(statement));
    } catch (error) {
      broken = error as Error;
      if (statement === 'commit') throw error;
    } finally {
      client.release(broken);
    }
  };
  try {
    await client.query('begin');
    await beginImport(client, target);
    await target.confirm?.(client);
  } catch (error) {
    await end('rollback');
    throw error;
  }
  return {
    atOnce: 1,
    write: async (inputs) => {
      const result = await insertRecords(client, target.workspaceId, target.resource, inputs);
      records += result.inserted.length;
      return result;
    },
    finish: async (result) => {
      await logImport(client, target, records);
      await finishImport(client, target, result);
      await end('commit');
    },
    abandon: () => end('rollback'),
  };
}

/** A patient import waits for the workspace's clock as long as another writer holds it. */
export async function beginImport(client: pg.ClientBase, { patient = false }: ImportTarget): Promise<void> {
  if (patient) await client.query('set local statement_timeout = 0');
}
