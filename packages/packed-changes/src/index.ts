import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Microseconds since 1970-01-01T00:00:00Z. */
type Micros = number;

/** A change as the feed stores it. */
export interface Change {
  readonly at: Micros;
  /** `content.updated`. */
  readonly type: string;
  readonly recordId: string;
  readonly companyId: string | null;
  /** The JSON of the record after the change. Null: it was deleted. Undefined: the record never changes, so it is read. */
  readonly doc?: string | null;
  /** Names of the changed fields. Undefined: it is not an update. */
  readonly changed?: readonly string[];
  /** The company that the record has left. Undefined: the record is still of the same company. */
  readonly leftCompanyId?: string;
}

/** A row of the table `changes`: consecutive changes of one type. */
export interface PackedRow {
  readonly lastAt: Micros;
  readonly type: string;
  readonly changes: number;
  /** Size of the items before they were compressed. */
  readonly bytes: number;
  readonly items: Buffer;
}

type StoredRow = Pick<PackedRow, 'lastAt' | 'type' | 'items'>;

/** The most changes in a row. A page reads whole rows. */
export const ROW_CHANGES_MAX = 100;
/** A row with more has only one change. */
const ROW_CHARACTERS_MAX = 128 * 1024;
/** Smaller items stay as they are, because compressing would save little. */
const COMPRESSED_FROM_BYTES = 256;
/** The first byte of items that are not compressed: they are a JSON array. */
const BRACKET = 0x5b;

/**
 * A change in a row: microseconds before the last change of the row, id and company of the record, its JSON, the changed
 * fields, the company before. Only the first two: the record never changes, so the rest is read from it.
 */
type Item = readonly [
  before: number,
  recordId: string,
  companyId?: string | null,
  doc?: string | null,
  changed?: readonly string[] | null,
  leftCompanyId?: string,
];

/** Packs the changes of a transaction, which are in the order of their times. */
export function packChanges(changes: readonly Change[]): readonly PackedRow[] {
  const rows: PackedRow[] = [];
  let start = 0;
  let characters = 0;
  changes.forEach((change, i) => {
    const first = changes[start] as Change;
    const size = change.doc?.length ?? 0;
    const isFull = i - start === ROW_CHANGES_MAX || characters + size > ROW_CHARACTERS_MAX;
    if (i > start && (isFull || change.type !== first.type)) {
      rows.push(rowOf(changes.slice(start, i)));
      start = i;
      characters = 0;
    }
    characters += size;
  });
  if (start < changes.length) rows.push(rowOf(changes.slice(start)));
  return rows;
}

function rowOf(changes: readonly Change[]): PackedRow {
  const last = changes.at(-1) as Change;
  const json = Buffer.from(JSON.stringify(changes.map((change) => itemOf(change, last.at))));
  const items = json.length < COMPRESSED_FROM_BYTES ? json : zstdCompressSync(json);
  return { lastAt: last.at, type: last.type, changes: changes.length, bytes: json.length, items };
}

function itemOf(change: Change, lastAt: Micros): Item {
  const { at, recordId, companyId, doc, changed = null, leftCompanyId } = change;
  const before = lastAt - at;
  // An immutable record names its company itself.
  if (doc === undefined) return [before, recordId];
  if (leftCompanyId !== undefined) return [before, recordId, companyId, doc, changed, leftCompanyId];
  if (changed !== null) return [before, recordId, companyId, doc, changed];
  return [before, recordId, companyId, doc];
}

/** The changes of a row, in the order of their times. */
export const unpackRow = (row: StoredRow): readonly Change[] => changesOf(row, jsonOf(row));

/** The changes of one record in a row, in the order of their times. Most rows have none, and are not parsed. */
export function unpackRecord(row: StoredRow, recordId: string): readonly Change[] {
  const json = jsonOf(row);
  if (!json.includes(JSON.stringify(recordId))) return [];
  return changesOf(row, json).filter((change) => change.recordId === recordId);
}

const jsonOf = ({ items }: StoredRow): Buffer => (items[0] === BRACKET ? items : zstdDecompressSync(items));

function changesOf({ lastAt, type }: StoredRow, json: Buffer): readonly Change[] {
  return (JSON.parse(json.toString()) as readonly Item[]).map(
    ([before, recordId, companyId = null, doc, changed, leftCompanyId]) => ({
      at: lastAt - before,
      type,
      recordId,
      companyId,
      ...(doc === undefined ? {} : { doc }),
      ...(changed == null ? {} : { changed }),
      ...(leftCompanyId === undefined ? {} : { leftCompanyId }),
    }),
  );
}
