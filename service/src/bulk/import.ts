import type { Readable } from 'node:stream';
import type { Columns } from '@svc/csv-lines';
import { newId } from '../config/ids.ts';
import { parentField } from '../records/counters.ts';
import { NOTHING_INSERTED } from '../records/insert.ts';
import { type Batch, type Format, type RefusedRecord, readBatches } from './batches.ts';
import { dryRunWriter } from './dry-run-writer.ts';
import { type ImportRun, isProcessed, OtherFile } from './import-run.ts';
import { atomicWriter, batchWriter, type ImportWriter } from './import-writer.ts';
import { parallelWriter } from './parallel-writer.ts';
import { type BatchResult, type BulkTarget, type ImportTarget, requireWorkspace } from './target.ts';

/** Existing records are replaced one by one, so a batch of them is smaller: other writers of the workspace wait for it. */
const REPLACE_BATCH_RECORDS = 500;

/** The progress of an import. */
interface ImportProgress {
  /** Bytes of the input that were read. */
  readonly bytes: number;
  /** Records that were written; they are committed, unless the import is atomic. */
  readonly inserted: number;
  /** Records whose id already existed. They stay unchanged, unless the import replaces them. */
  readonly existing: number;
  /** How many of the existing records have changed, without those that an earlier run of the import has changed. */
  readonly replaced: number;
  readonly refused: number;
}

export interface ImportOptions extends Omit<ImportTarget, 'importId'> {
  /** The file. Destroyed if the import ends before the end of the file. */
  readonly input: Readable;
  readonly format: Format;
  /** Whether one refused line undoes the import. Default: false, valid records are written. Not together with `replace`. */
  readonly atomic?: boolean;
  /** Whether to write nothing, and only report what the import would do. Default: false. Not together with `run`. */
  readonly dryRun?: boolean;
  /** Default: the file has the names of the fields. */
  readonly columns?: Columns | undefined;
  /**
   * Whether two transactions may write at the same time, for bulk loading. Needs a pool of at least two connections that
   * nothing else uses. Default: false. An atomic import always has one transaction, and one that replaces writes one batch
   * at a time.
   */
  readonly parallel?: boolean;
  /**
   * The import to continue: batches of earlier runs are not written again, but count in the report. Not together with
   * `atomic` or `parallel`. Default: a new import that cannot be continued.
   */
  readonly run?: ImportRun;
  /** Called after each batch, once its transaction is committed. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Called with refused records, in the order of the file. The import waits for the result. */
  readonly onReject?: (refused: readonly RefusedRecord[]) => void | Promise<void>;
  /** Ends the import after the current batch. */
  readonly signal?: AbortSignal;
}

export interface ImportReport extends ImportProgress {
  /** Whether an atomic import was rolled back. Then `inserted` is 0. */
  readonly rolledBack: boolean;
  /** Whether the signal ended the import before the end of the file. */
  readonly interrupted: boolean;
  /** The last record that was processed, if the signal ended the import and a repeat would add some without an id again. */
  readonly stoppedAfter?: { readonly record: number; readonly line: number };
}

/**
 * Imports a file of records, one transaction per batch; the next batch is parsed meanwhile. Batches reported by
 * `onProgress` are durable. An import can be repeated: a record whose id already exists stays unchanged, or gets the same
 * values again with `replace`. But records without an id are added again, except with `run`. Throws BulkError if the file
 * does not fit the resource or the workspace does not exist; with `run` also OtherFile and ImportTakenOver.
 */
export async function importRecords(options: ImportOptions): Promise<ImportReport> {
  await requireWorkspace(options);
  const writer = await writerOf(options);
  try {
    return await importFile(options, writer);
  } finally {
    options.input.destroy();
    await writer.abandon();
  }
}

async function writerOf(options: ImportOptions): Promise<ImportWriter> {
  const target: ImportTarget = { ...options, importId: options.run?.importId ?? newId('imp') };
  if (options.dryRun === true) return dryRunWriter(target);
  if (options.atomic === true) return atomicWriter(target);
  const parallel = options.parallel === true && options.replace !== true;
  return parallel ? parallelWriter(target) : batchWriter(target, options.run);
}

async function importFile(options: ImportOptions, writer: ImportWriter): Promise<ImportReport> {
  const { input, resource, format, atomic = false, onProgress, onReject, signal, run } = options;
  const interrupted = (): boolean => signal?.aborted === true;
  const { inserted = 0, existing = 0, refused = 0 } = run ?? {};
  let progress: ImportProgress = { bytes: 0, inserted, existing, replaced: 0, refused };
  let recordsRead = 0;
  let lastLine = 0;
  let unnamed = false;
  let rolledBack = false;
  const write = async (batch: Batch): Promise<BatchResult | undefined> => {
    if (run !== undefined && isProcessed(run, batch)) return undefined;
    // After a rollback, the rest of the file is only validated.
    if (rolledBack || (batch.records.length === 0 && run === undefined)) return NOTHING_INSERTED;
    return writer.write(
      batch.records.map((record) => record.input),
      batch,
    );
  };
  const batches = readBatches(readUntil(input, signal), resource, format, {
    endAfter: run?.recordsRead,
    columns: options.columns,
    ...(options.replace === true ? { batchRecords: REPLACE_BATCH_RECORDS } : {}),
  });
  for await (const { batch, written } of writing(batches, write, writer.atOnce, interrupted)) {
    recordsRead = batch.recordsRead;
    lastLine = Math.max(batch.records.at(-1)?.line ?? 0, batch.refused.at(-1)?.line ?? 0);
    unnamed ||= options.dryRun !== true && batch.records.some(({ input: { id } }) => typeof id !== 'string');
    progress = { ...progress, bytes: batch.bytes };
    const refusals = refusedOf(options, batch, written ?? NOTHING_INSERTED);
    if (atomic && !rolledBack && refusals.length > 0) {
      rolledBack = true;
      await writer.abandon();
    }
    if (written !== undefined) {
      progress = {
        bytes: batch.bytes,
        inserted: rolledBack ? 0 : progress.inserted + written.inserted.length,
        existing: progress.existing + written.existing.length,
        replaced: progress.replaced + (written.replacement?.recordIds.length ?? 0),
        refused: progress.refused + refusals.length,
      };
    }
    if (refusals.length > 0) await onReject?.(refusals);
    onProgress?.(progress);
  }
  if (interrupted() && atomic) return { ...progress, inserted: 0, rolledBack: true, interrupted: true };
  // The file of the earlier runs was longer.
  if (run !== undefined && !interrupted() && recordsRead < run.recordsRead) throw new OtherFile(run.inserted);
  if (!rolledBack) await writer.finish({ ...progress, finished: !interrupted() });
  const stoppedAfter = { record: recordsRead, line: lastLine };
  const ended = { ...progress, rolledBack, interrupted: interrupted() };
  return ended.interrupted && unnamed ? { ...ended, stoppedAfter } : ended;
}

interface Written {
  readonly batch: Batch;
  /** Undefined if an earlier run of the import has written the batch. */
  readonly written: BatchResult | undefined;
}

/**
 * Writes batches, `atOnce` at the same time, and yields them in order. The next batch is read meanwhile. Starts no batch
 * once `stopped` returns true.
 */
async function* writing(
  batches: AsyncGenerator<Batch>,
  write: (batch: Batch) => Promise<Written['written']>,
  atOnce: number,
  stopped: () => boolean,
): AsyncGenerator<Written> {
  const begun: Promise<Written>[] = [];
  try {
    for (let next = batches.next(); ; ) {
      const { value: batch, done } = await next;
      if (done === true || stopped()) break;
      next = handledLater(batches.next());
      begun.push(handledLater(write(batch).then((written) => ({ batch, written }))));
      if (begun.length < atOnce) continue;
      const [first] = begun.splice(0, 1);
      if (first !== undefined) yield await first;
    }
    for (const written of begun) yield await written;
  } finally {
    // No connection may be in use after the import.
    await Promise.allSettled(begun);
  }
}

/** Keeps a rejection from ending the process before the promise is awaited. */
function handledLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Yields the bytes of the input until its end or the signal. The signal also ends an input that is idle. */
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

/** Records refused by validation or because of records in the workspace, in the order of the file. */
function refusedOf(
  { resource }: BulkTarget,
  batch: Batch,
  { withoutCompany, notPast, replacement }: BatchResult,
): readonly RefusedRecord[] {
  const kept = replacement?.refused ?? new Map<number, string>();
  if (withoutCompany.length + notPast.size + kept.size === 0) return batch.refused;
  const refuse = (indexes: readonly number[], field: string, reason: string): readonly RefusedRecord[] =>
    indexes.flatMap((index) => {
      const record = batch.records[index];
      if (record === undefined) return [];
      const failure = { field: field === '' ? '' : `/${field}`, reason };
      return [{ line: record.line, text: record.text, failures: [failure] }];
    });
  return [
    ...batch.refused,
    ...refuse(withoutCompany, parentField(resource) ?? '', 'must be the id of a company of the workspace'),
    ...[...notPast].flatMap(([index, field]) => refuse([index], field, 'must be a time in the past')),
    ...[...kept].flatMap(([index, reason]) => refuse([index], '', reason)),
  ].sort((a, b) => a.line - b.line);
}
