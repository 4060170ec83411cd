import { BATCH_BODY_MAX_BYTES, BATCH_MAX_RECORDS } from '../contract/index.ts';
import { SvcError } from '../errors.ts';
import { jsonText } from '../json.ts';
import { checkedNumber } from '../number.ts';

const FRAME_BYTES = '{"data":[]}'.length;

export type Source<Item> = Iterable<Item> | AsyncIterable<Item>;

/** A batch, ready to be sent. */
export interface Batch {
  readonly body: string;
  readonly records: number;
}

/**
 * Groups records into batches within the service's limits, in order. Throws `SvcError` if a record cannot be written
 * as JSON.
 */
export async function* batchesOf(
  records: Source<unknown>,
  maxRecords = BATCH_MAX_RECORDS,
): AsyncGenerator<Batch, void, undefined> {
  checkedNumber('batchSize', maxRecords, { min: 1, max: BATCH_MAX_RECORDS });
  const encoder = new TextEncoder();
  let texts: string[] = [];
  let bytes = FRAME_BYTES;
  const nextBatch = (): Batch => {
    const batch = { body: `{"data":[${texts.join(',')}]}`, records: texts.length };
    [texts, bytes] = [[], FRAME_BYTES];
    return batch;
  };
  for await (const record of records) {
    const text = jsonText(record, 'A record');
    const added = encoder.encode(text).length + 1;
    if (texts.length > 0 && (texts.length >= maxRecords || bytes + added > BATCH_BODY_MAX_BYTES))
      yield nextBatch();
    texts.push(text);
    bytes += added;
  }
  if (texts.length > 0) yield nextBatch();
}

/** Returns the source. Throws `SvcError` if it cannot be iterated, and for a text, whose items would be its characters. */
export function checkedSource<Item>(source: Source<Item>, name: 'changes' | 'ids' | 'records'): Source<Item> {
  const iterable: unknown = Object(source);
  if (typeof iterable === 'object' && iterable !== null && typeof source !== 'string') {
    if (Symbol.iterator in iterable || Symbol.asyncIterator in iterable) return source;
  }
  throw new SvcError(`The ${name} must be an array, or another iterable or async iterable.`);
}
