import type pg from 'pg';
import { commit, inTransaction } from '../database/pool.ts';
import { type InsertResult, insertRecords } from '../records/insert.ts';
import type { RecordInput } from '../records/row.ts';
import type { Batch } from './batches.ts';
import { finishImport, type ImportEnd, logImport } from './import-log.ts';
import { advanceRun, finishRun, type ImportRun } from './import-run.ts';
import type { ImportTarget } from './target.ts';

/** Writes the batches of an import. Each transaction also updates the counters of its records. */
export interface ImportWriter {
  /** How many batches may be written at the same time. */
  readonly atOnce: number;
  readonly write: (inputs: readonly RecordInput[], batch: Batch) => Promise<InsertResult>;
  /** Call after the last batch. Commits everything. */
  readonly finish: (end: ImportEnd) => Promise<void>;
  /** Rolls back what is not committed. */
  readonly abandon: () => Promise<void>;
}

/** Writes one transaction per batch. Committed batches stay if a later one fails. */
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

/** Like {@link batchWriter}, but each transaction also stores how far the file is written, so that a later run can continue. */
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

/** Writes all batches in one transaction, which locks the workspace's clock: other writers wait until it ends. */
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

/** A patient import waits for the workspace's clock without a time limit. */
export async function beginImport(client: pg.ClientBase, { patient = false }: ImportTarget): Promise<void> {
  if (patient) await client.query('set local statement_timeout = 0');
}
