import type pg from 'pg';
import { begin, commit, inTransaction, removeStatementTimeout, rollback } from '../database/pool.ts';
import { insertRecords } from '../records/insert.ts';
import { NOTHING_REPLACED, type Replacement, replaceRecords } from '../records/replace.ts';
import type { RecordInput } from '../records/row.ts';
import type { Batch } from './batches.ts';
import {
  advanceRun,
  finishImport,
  finishRun,
  type ImportEnd,
  type ImportRun,
  logImport,
  logReplacement,
} from './import-run.ts';
import type { BatchResult, ImportTarget } from './target.ts';

/** Writes the batches of an import. Each transaction also updates the counters of its records. */
export interface ImportWriter {
  /** How many batches may be written at the same time. */
  readonly atOnce: number;
  readonly write: (inputs: readonly RecordInput[], batch: Batch) => Promise<BatchResult>;
  /** Call after the last batch. Commits everything. */
  readonly finish: (end: ImportEnd) => Promise<void>;
  /** Rolls back what is not committed. */
  readonly abandon: () => Promise<void>;
}

/**
 * Writes one transaction per batch. Committed batches stay if a later one fails. With `run`, each transaction also stores
 * how far the file is written, so that a later run can continue.
 */
export function batchWriter(target: ImportTarget, run?: ImportRun): ImportWriter {
  return {
    atOnce: 1,
    write: (inputs, batch) =>
      inTransaction(target.pool, async (client) => {
        await beginImport(client, target);
        const result = await insertRecords(client, target.workspaceId, target.resource, inputs);
        const replacement = await replaceExisting(client, target, inputs, result.existing);
        const existing = result.existing.filter((index) => !replacement.refused.has(index));
        const written = { ...result, existing, replacement };
        if (run !== undefined) await advanceRun(client, run, batch, written);
        await logImport(client, target, result.inserted.length);
        await logReplacement(client, target, replacement);
        return written;
      }),
    finish: async (end) => {
      if (run === undefined) {
        if (end.inserted > 0) await finishImport(target.pool, target, end);
      } else if (!run.finished) await finishRun(target.pool, run, target.resource, end);
    },
    abandon: () => Promise.resolve(),
  };
}

async function replaceExisting(
  client: pg.ClientBase,
  { workspaceId, resource, replace = false }: ImportTarget,
  inputs: readonly RecordInput[],
  existing: readonly number[],
): Promise<Replacement> {
  return replace ? replaceRecords(client, workspaceId, resource, inputs, existing) : NOTHING_REPLACED;
}

/** Writes all batches in one transaction, which locks the workspace's clock: other writers wait until it ends. */
export async function atomicWriter(target: ImportTarget): Promise<ImportWriter> {
  const client = await target.pool.connect();
  let open = true;
  const end = async (statement: 'commit' | 'rollback'): Promise<void> => {
    if (!open) return;
    open = false;
    let broken: Error | undefined;
    try {
      await (statement === 'commit' ? commit(client) : client.query(rollback()));
    } catch (error) {
      broken = error as Error;
      if (statement === 'commit') throw error;
    } finally {
      client.release(broken);
    }
  };
  try {
    await client.query(begin());
    await beginImport(client, target);
  } catch (error) {
    await end('rollback');
    throw error;
  }
  return {
    atOnce: 1,
    write: (inputs) => insertRecords(client, target.workspaceId, target.resource, inputs),
    finish: async (result) => {
      await logImport(client, target, result.inserted);
      await finishImport(client, target, result);
      await end('commit');
    },
    abandon: () => end('rollback'),
  };
}

/** Begins a transaction of an import. A patient import waits for the workspace's clock without a time limit. */
export async function beginImport(
  client: pg.ClientBase,
  { confirm, patient = false }: ImportTarget,
): Promise<void> {
  if (patient) await client.query(removeStatementTimeout());
  await confirm?.(client);
}
