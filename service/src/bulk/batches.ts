import type { FieldFailure } from '../http/errors.ts';
import type { RecordInput } from '../records/row.ts';
import { validateRecord } from '../records/validate.ts';
import type { Resource } from '../resources/define.ts';
import { csvParser } from './csv.ts';
import { readLines } from './lines.ts';
import { ndjsonParser } from './ndjson.ts';
import { createPace, type Pace } from './pace.ts';
import type { Entry } from './parsed-record.ts';

export const FORMATS = ['ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** A line, or a record of several lines, that is not imported. */
export interface Refused {
  /** Where it starts in the file: a physical line, from 1. */
  readonly line: number;
  readonly text: string;
  /** At least one. A failure with an empty field is about the whole record. */
  readonly failures: readonly FieldFailure[];
}

/** Consecutive records of a file: those that may be written, and those that may not. */
export interface Batch {
  readonly records: readonly { readonly line: number; readonly text: string; readonly input: RecordInput }[];
  readonly refused: readonly Refused[];
  /** Bytes of the file that have been read when the batch is complete. */
  readonly bytes: number;
}

/**
 * Records of a batch, good and bad: what one transaction writes. It holds the workspace's clock about 0.1 s for it.
 * Measured: more are not faster, and cost memory.
 */
export const BATCH_RECORDS = 3_000;
/** A batch of large records, or of many reasons why they are refused, is complete earlier: memory stays flat. */
const BATCH_CHARACTERS = 1024 * 1024;
/** What a chunk, a line or a record costs besides its text, in characters. */
const ENTRY_CHARACTERS = 256;

interface Growing {
  readonly records: Batch['records'][number][];
  readonly refused: Refused[];
  characters: number;
}

const empty = (): Growing => ({ records: [], refused: [], characters: 0 });

/** Reads and validates a file, batch by batch. Throws OperatorError when it is no file of this resource. */
export async function* readBatches(
  input: AsyncIterable<Uint8Array>,
  resource: Resource,
  format: Format,
  pace: Pace = createPace(),
): AsyncGenerator<Batch> {
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of input) {
      bytes += chunk.length;
      yield chunk;
      // A chunk may be a single byte.
      if (pace.spend(ENTRY_CHARACTERS)) await pace.rest();
    }
  }
  const parser = format === 'csv' ? csvParser(resource) : ndjsonParser();
  let batch = empty();
  async function* take(entries: Iterable<Entry>): AsyncGenerator<Batch> {
    for (const entry of entries) {
      if (pace.spend(add(batch, resource, entry))) await pace.rest();
      if (isFull(batch)) {
        yield { ...batch, bytes };
        batch = empty();
      }
    }
  }
  for await (const lines of readLines(counted())) {
    yield* take(parser.parse(lines));
    // Blank lines give no entry.
    if (pace.spend(lines.length * ENTRY_CHARACTERS)) await pace.rest();
  }
  yield* take(parser.end());
  if (batch.records.length + batch.refused.length > 0) yield { ...batch, bytes };
}

/** Returns what the entry costs, in characters. */
function add(batch: Growing, resource: Resource, { line, text, value, flaw }: Entry): number {
  let characters = text.length;
  const validation =
    flaw === null
      ? validateRecord(resource, value, 'import')
      : { ok: false as const, failures: [{ field: '', reason: flaw }] };
  if (validation.ok) {
    batch.records.push({ line, text, input: validation.input });
  } else {
    batch.refused.push({ line, text, failures: validation.failures });
    for (const { field, reason } of validation.failures) characters += field.length + reason.length;
  }
  batch.characters += characters;
  return characters + ENTRY_CHARACTERS;
}

const isFull = ({ records, refused, characters }: Growing): boolean =>
  records.length + refused.length >= BATCH_RECORDS || characters >= BATCH_CHARACTERS;
