import type { Readable } from 'node:stream';
import type pg from 'pg';
import type { ActorContext } from '../audit-log/actor.ts';
import { newId } from '../config/ids.ts';
import { parentField } from '../records/counters.ts';
import { type InsertResult, NOTHING_INSERTED } from '../records/insert.ts';
import { type Batch, type Format, type RefusedRecord, readBatches } from './batches.ts';
import { continuationOf } from './continuation.ts';
import type { ImportRun } from './import-run.ts';
import { atomicWriter, batchWriter, continuableWriter, type ImportWriter } from './import-writer.ts';
import { parallelWriter } from './parallel-writer.ts';
import { type BulkTarget, type ImportTarget, requireWorkspace } from './target.ts';

export type { Format, RefusedRecord } from './batches.ts';

/** How far an import has come. */
export interface ImportProgress {
  /** Of the input, read. */
  readonly bytes: number;
  /** Records that are written: committed, unless the import is atomic. */
  readonly inserted: number;
  /** Records whose id was there already; nothing is changed. */
  readonly existing: number;
  readonly refused: number;
}

export interface ImportOptions extends BulkTarget {
  /** Who imports, for the audit log. */
  readonly by: ActorContext;
  /** Runs first in each transaction; throws when the person must not import any more. Default: no check. */
  readonly confirm?: (client: pg.ClientBase) => Promise<unknown>;
  /** For the audit log. Default: the input has no name. */
  readonly fileName?: string;
  /**
   * Whether each transaction waits for other writers without a limit: for a pool of a command's own. Default: false, the
   * limits of the connections hold.
   */
  readonly patient?: boolean;
  /** The file. It is destroyed when the import ends before it. */
  readonly input: Readable;
  readonly format: Format;
  /** All or nothing: one refused line takes everything back. Default false: what is good is written. */
  readonly atomic?: boolean;
  /**
   * Whether two transactions may write at the same time: for bulk loading, with a pool of at least two connections that
   * nobody else uses. Default false. An atomic import has one transaction anyway.
   */
  readonly parallel?: boolean;
  /**
   * The import that this is a run of: what the runs before it have written is not written again, and is counted in the
   * report. Default: a new import that cannot be continued. Neither atomic nor parallel.
   */
  readonly run?: ImportRun;
  /** Called after every batch, when its transaction is committed. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Called with what was refused, in the order of the file; waited for. */
  readonly onReject?: (refused: readonly RefusedRecord[]) => void | Promise<void>;
  /** Ends the import after the batch that is being written. */
  readonly signal?: AbortSignal;
}

export interface ImportReport extends ImportProgress {
  /** Whether an atomic import took everything back: then `inserted` is 0. */
  readonly rolledBack: boolean;
  /** Whether it was ended by the signal before the end of the file. */
  readonly interrupted: boolean;
}

/**
 * Imports a file of records: each batch in a transaction, the next one parsed meanwhile. Once a batch is reported by
 * `onProgress` it survives whatever happens. A record whose id is there already is left as it is, so an import can be
 * run again. Throws BulkError when the file is not of the resource or the workspace is not there, and with `run`
 * OtherFile and ImportTakenOver.
 */
export async function importRecords(options: ImportOptions): Promise<ImportReport> {
  await requireWorkspace(options);
  const writer = await writerOf(options);
  try {
    return await run(options, writer);
  } finally {
    options.input.destroy();
    await writer.abandon();
  }
}

async function writerOf(options: ImportOptions): Promise<ImportWriter> {
  const target: ImportTarget = {
    ...options,
    importId: options.run?.importId ?? newId('imp'),
    fileName: options.fileName ?? null,
  };
  if (options.run !== undefined) return continuableWriter(target, options.run);
  if (options.atomic === true) return atomicWriter(target);
  return options.parallel === true ? parallelWriter(target) : batchWriter(target);
}

async function run(options: ImportOptions, writer: ImportWriter): Promise<ImportReport> {
  const { input, resource, format, atomic = false, onProgress, onReject, signal, run: current } = options;
  const interrupted = (): boolean => signal?.aborted === true;
  const continuation = current === undefined ? undefined : continuationOf(current);
  const { inserted: before = 0, existing: were = 0, refused: bad = 0 } = current ?? {};
  let progress: ImportProgress = { bytes: 0, inserted: before, existing: were, refused: bad };
  let recordsRead = 0;
  let rolledBack = false;
  const write = async (batch: Batch): Promise<InsertResult | undefined> => {
    if (continuation?.covers(batch)) return undefined;
    // Once it is known that nothing stays, the rest of the file is only checked.
    if (rolledBack || (batch.records.length === 0 && continuation === undefined)) return NOTHING_INSERTED;
    return writer.write(
      batch.records.map(({ input }) => input),
      batch,
    );
  };
  const batches = readBatches(readUntil(input, signal), resource, format, undefined, current);
  for await (const { batch, written } of writing(ahead(batches), write, writer.atOnce, interrupted)) {
    recordsRead = batch.recordsRead;
    const refused = refusedOf(options, batch, written ?? NOTHING_INSERTED);
    if (atomic && !rolledBack && refused.length > 0) {
      rolledBack = true;
      await writer.abandon();
    }
    progress =
      written === undefined
        ? { ...progress, bytes: batch.bytes }
        : {
            bytes: batch.bytes,
            inserted: rolledBack ? 0 : progress.inserted + written.inserted.length,
            existing: progress.existing + written.existing.length,
            refused: progress.refused + refused.length,
          };
    if (refused.length > 0) await onReject?.(refused);
    onProgress?.(progress);
  }
  if (interrupted() && atomic) return { ...progress, inserted: 0, rolledBack: true, interrupted: true };
  if (!interrupted()) continuation?.end(recordsRead);
  const { inserted, existing, refused } = progress;
  if (!rolledBack) await writer.finish({ inserted, existing, refused, finished: !interrupted() });
  return { ...progress, rolledBack, interrupted: interrupted() };
}

interface Written {
  readonly batch: Batch;
  /** Undefined: an earlier run of the import has written the batch. */
  readonly written: InsertResult | undefined;
}

/** Writes batches, `atOnce` at the same time, and gives them in their order; none is begun after `stopped`. */
async function* writing(
  batches: AsyncIterable<Batch>,
  write: (batch: Batch) => Promise<Written['written']>,
  atOnce: number,
  stopped: () => boolean,
): AsyncGenerator<Written> {
  const begun: Promise<Written>[] = [];
  try {
    for await (const batch of batches) {
      if (stopped()) break;
      const written = write(batch).then((result) => ({ batch, written: result }));
      // Met when it is its turn.
      written.catch(() => undefined);
      begun.push(written);
      if (begun.length < atOnce) continue;
      const [first] = begun.splice(0, 1);
      if (first !== undefined) yield await first;
    }
    for (const written of begun) yield await written;
  } finally {
    // Nobody's connections are used any more when the import is over.
    await Promise.allSettled(begun);
  }
}

/** The same, but the next one is made while one is used. */
async function* ahead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = source.next();
  for (;;) {
    const { value, done } = await next;
    if (done === true) return;
    next = source.next();
    // Met when it is its turn.
    next.catch(() => undefined);
    yield value;
  }
}

/** The input's bytes; the signal ends them even when none are coming. */
async function* readUntil(input: Readable, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const stop = (): unknown => input.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    yield* input;
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** What was refused, by the file's own fault or for what the workspace has, in the order of the file. */
function refusedOf(
  { resource }: BulkTarget,
  batch: Batch,
  { withoutCompany, notPast }: InsertResult,
): readonly RefusedRecord[] {
  if (withoutCompany.length + notPast.length === 0) return batch.refused;
  const refuse = (indexes: readonly number[], field: string, reason: string): readonly RefusedRecord[] =>
    indexes.flatMap((index) => {
      const record = batch.records[index];
      if (record === undefined) return [];
      return [{ line: record.line, text: record.text, failures: [{ field: `/${field}`, reason }] }];
    });
  return [
    ...batch.refused,
    ...refuse(withoutCompany, parentField(resource) ?? '', 'must be the id of a company of the workspace'),
    ...refuse(notPast, 'createdAt', 'must be a time that is past'),
  ].sort((a, b) => a.line - b.line);
}
