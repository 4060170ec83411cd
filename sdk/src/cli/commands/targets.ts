import { BATCH_BODY_MAX_BYTES, BATCH_MAX_RECORDS, capitalized } from '../../contract/index.ts';
import type { Resource } from '../../resource.ts';
import { untilAborted } from '../../stoppable.ts';
import { type Invocation, integer, UsageError } from '../command.ts';
import type { FileRecord } from '../csv-input.ts';
import { writableFields } from '../fields.ts';
import { BrokenRecord, nameOf, placeOf, readRecords } from '../lines.ts';
import type { Noun } from '../output/progress.ts';
import type { AnyCollection } from './read.ts';

/** What a command does with the records of a file. */
export interface FileWork {
  readonly invocation: Invocation;
  readonly collection: AnyCollection;
  readonly resource: Noun & Resource;
  readonly file: string;
}

/** A record of a file that has an id. */
export interface Target extends FileRecord {
  readonly id: string;
}

/**
 * The records of a file from the line that is asked for. Throws {@link BrokenRecord} if one has no id, {@link UsageError}
 * if that line is after the last record, and the reason of the signal when that is aborted.
 */
export async function* targetsOf({
  invocation: { io, values },
  resource,
  file,
  done,
}: FileWork & { readonly done: string }): AsyncGenerator<Target> {
  const from = integer(values, 'from-line', 1) ?? 1;
  const { fields } = resource;
  const columns = done === 'updated' ? ['id', ...writableFields(resource, 'update')] : Object.keys(fields);
  const records = readRecords(io, values, { file, fields, columns, from });
  let found = false;
  for await (const each of untilAborted(records, io.signal)) {
    if (each.line < from) continue;
    found = true;
    const { id } = each.record;
    if (typeof id !== 'string' || id === '')
      throw new BrokenRecord(`${capitalized(placeOf(each))} of ${nameOf(file)} has no id.`, each);
    yield { ...each, id, record: done === 'updated' ? each.record : { id } };
  }
  if (from > 1 && !found)
    throw new UsageError(`--from-line ${from} is after the last record of ${nameOf(file)}.`);
}

/** Batches within the limits of the service. If the file is broken, what precedes the broken line comes first. */
export async function* batchesOf(targets: AsyncIterable<Target>): AsyncGenerator<readonly Target[]> {
  let [batch, bytes]: [Target[], number] = [[], 0];
  try {
    for await (const target of targets) {
      const added = Buffer.byteLength(JSON.stringify(target.record)) + 1;
      if (batch.length === BATCH_MAX_RECORDS || bytes + added > BATCH_BYTES) {
        yield batch;
        [batch, bytes] = [[], 0];
      }
      batch.push(target);
      bytes += added;
    }
  } catch (error) {
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}

/** Leaves room for what is around the records in the body. */
const BATCH_BYTES = BATCH_BODY_MAX_BYTES - 100;
