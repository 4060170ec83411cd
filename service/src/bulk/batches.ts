import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Columns, csvParser, type ParsedRecord, readItems, readLines, utf8Of } from '@svc/csv-lines';
import type { FieldFailure } from '../http/errors.ts';
import type { RecordInput } from '../records/row.ts';
import { type Validation, validateRecord } from '../records/validate.ts';
import type { Resource } from '../resources/define.ts';
import { ndjsonParser } from './parser.ts';
import { BulkError } from './target.ts';

export const FORMATS = ['ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** A record of the file that may be written. */
interface ValidRecord {
  /** The physical line that it starts at, from 1. */
  readonly line: number;
  readonly text: string;
  readonly input: RecordInput;
}

/** A record of the file that is not imported. */
export interface RefusedRecord {
  /** The physical line that it starts at, from 1. */
  readonly line: number;
  readonly text: string;
  /** At least one. An empty field name means the whole record. */
  readonly failures: readonly FieldFailure[];
}

/** Consecutive records of a file: valid and refused ones. */
export interface Batch {
  readonly records: readonly ValidRecord[];
  readonly refused: readonly RefusedRecord[];
  /** Bytes of the file read up to the end of this batch. */
  readonly bytes: number;
  /** Records of the file, valid and refused, up to the end of the batch. */
  readonly recordsRead: number;
  /** SHA-256 of these records. Null: it was not requested. */
  readonly digest: Buffer | null;
}

/**
 * Records of a batch, valid and refused. One transaction writes a batch and holds the workspace's clock for about 0.1 s.
 * Measured: larger batches are not faster and need more memory.
 */
export const BATCH_RECORDS = 3_000;
/** A batch of large records, or of many reasons for refusal, ends earlier, so that memory stays bounded. */
const BATCH_CHARACTERS = 1024 * 1024;
/** The fixed cost of a chunk, a line or a record, in characters. */
const RECORD_OVERHEAD_CHARACTERS = 256;

interface Growing {
  readonly records: ValidRecord[];
  readonly refused: RefusedRecord[];
  characters: number;
}

const empty = (): Growing => ({ records: [], refused: [], characters: 0 });

export interface BatchOptions {
  readonly pace?: Pace;
  /**
   * For an import that can be continued: one batch ends after this many records of the file, where the last batch of the
   * earlier runs ended, and each batch has a digest.
   */
  readonly endAfter?: number | undefined;
  /** Default: the file has the names of the fields. */
  readonly columns?: Columns | undefined;
  /** @default BATCH_RECORDS */
  readonly batchRecords?: number | undefined;
}

function refuseFile(message: string): never {
  throw new BulkError(message);
}

/**
 * Reads and validates a file, batch by batch: UTF-8, or UTF-16 with a byte order mark. Instead of NDJSON it may be a JSON
 * array. Throws BulkError if the file does not fit the resource.
 */
export async function* readBatches(
  input: AsyncIterable<Uint8Array>,
  resource: Resource,
  format: Format,
  options: BatchOptions = {},
): AsyncGenerator<Batch> {
  const { pace = createPace(), endAfter, columns, batchRecords = BATCH_RECORDS } = options;
  let bytes = 0;
  let recordsRead = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of input) {
      bytes += chunk.length;
      yield chunk;
      // A chunk may be a single byte.
      if (pace.spend(RECORD_OVERHEAD_CHARACTERS)) await pace.rest();
    }
  }
  const text = utf8Of(counted());
  const [parser, read] =
    format === 'csv'
      ? [csvParser(resource, refuseFile, columns), readLines]
      : [ndjsonParser(columns), readItems];
  const digest = endAfter === undefined ? undefined : createDigest(parser.header);
  let batch = empty();
  const complete = (): Batch => ({ ...batch, bytes, recordsRead, digest: digest?.value() ?? null });
  async function* take(records: Iterable<ParsedRecord>): AsyncGenerator<Batch> {
    for (const record of records) {
      recordsRead++;
      digest?.add(record);
      if (pace.spend(add(batch, resource, record))) await pace.rest();
      if (isFull(batch, batchRecords) || recordsRead === endAfter) {
        yield complete();
        batch = empty();
      }
    }
  }
  for await (const lines of read(text)) {
    yield* take(parser.parse(lines));
    // Blank lines give no record, but reading them takes time too.
    if (pace.spend(lines.length * RECORD_OVERHEAD_CHARACTERS)) await pace.rest();
  }
  yield* take(parser.end());
  if (batch.records.length + batch.refused.length > 0) yield complete();
}

/** Validates a record and adds it to the batch. Returns its cost in characters. */
function add(batch: Growing, resource: Resource, { line, text, value, flaw }: ParsedRecord): number {
  let characters = text.length;
  const validation: Validation =
    flaw === null
      ? validateRecord(resource, value, 'import')
      : { ok: false, failures: [{ field: '', reason: flaw }] };
  if (validation.ok) {
    batch.records.push({ line, text, input: validation.input });
  } else {
    batch.refused.push({ line, text, failures: validation.failures });
    for (const { field, reason } of validation.failures) characters += field.length + reason.length;
  }
  batch.characters += characters;
  return characters + RECORD_OVERHEAD_CHARACTERS;
}

const isFull = ({ records, refused, characters }: Growing, most: number): boolean =>
  records.length + refused.length >= most || characters >= BATCH_CHARACTERS;

/** SHA-256 of the header row and of each record's line number and text. Null before the first record. */
function createDigest(header: () => string) {
  const hash = createHash('sha256');
  let isEmpty = true;
  return {
    add({ line, text }: ParsedRecord): void {
      if (isEmpty) hash.update(`${header()}\n`);
      isEmpty = false;
      hash.update(`${line} ${text.length}\n${text}`);
    },
    value: (): Buffer | null => (isEmpty ? null : hash.copy().digest()),
  };
}

/** The most characters read in one turn of the event loop: some milliseconds of work. */
export const TURN_CHARACTERS = 64 * 1024;

/** Divides the work on a file into turns of the event loop, so that other requests run meanwhile. */
export interface Pace {
  /** Counts work. Returns true once this turn has done its share: call `rest` then. */
  readonly spend: (characters: number) => boolean;
  /** Resolves in a later turn. */
  readonly rest: () => Promise<void>;
}

/** `pause` ends a turn. */
export function createPace(pause: () => Promise<unknown> = setImmediate): Pace {
  let spent = 0;
  return {
    spend(characters) {
      spent += characters;
      return spent >= TURN_CHARACTERS;
    },
    async rest() {
      spent = 0;
      await pause();
    },
  };
}
