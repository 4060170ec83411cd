import { OperatorError } from '../config/operator-error.ts';
import { requiredFields, writableFields } from '../records/validate.ts';
import type { Resource } from '../resources/define.ts';
import type { Field } from '../resources/field.ts';
import type { Cell } from './csv-cells.ts';
import { type CsvRecord, csvReader } from './csv-records.ts';
import type { Entry, EntryParser } from './parsed-record.ts';

/**
 * CSV with a header row of field names, in any order. Throws OperatorError for a header that does not fit the
 * resource, before there is any entry.
 */
export function csvParser(resource: Resource): EntryParser {
  const reader = csvReader();
  let columns: readonly Column[] | undefined;

  function* entriesOf(records: Iterable<CsvRecord>): Generator<Entry> {
    for (const record of records) {
      if (columns === undefined) columns = columnsOf(resource, record);
      else yield entryOf(columns, record);
    }
  }

  return {
    parse: (lines) => entriesOf(reader.read(lines)),
    *end() {
      yield* entriesOf(reader.end());
      if (columns === undefined) throw new OperatorError('The file is empty: CSV begins with a header row.');
    },
  };
}

function entryOf(columns: readonly Column[], { line, text, cells, flaw }: CsvRecord): Entry {
  if (flaw !== null) return { line, text, value: undefined, flaw };
  if (cells.length !== columns.length) {
    const counts = `has ${cells.length} cells where the header has ${columns.length}`;
    return { line, text, value: undefined, flaw: counts };
  }
  const value: Record<string, unknown> = {};
  for (const [i, column] of columns.entries()) {
    const given = column.value(cells[i] ?? null);
    if (given !== undefined) value[column.name] = given;
  }
  return { line, text, value, flaw: null };
}

interface Column {
  readonly name: string;
  /** The value that a cell stands for; undefined: none. */
  readonly value: (cell: Cell) => unknown;
}

/** The columns of a header row. Throws OperatorError for one that is unknown, doubled or missing. */
function columnsOf(resource: Resource, header: CsvRecord): readonly Column[] {
  const refuse = (problem: string): never => {
    throw new OperatorError(`The header row (line ${header.line}) ${problem}.`);
  };
  if (header.flaw !== null) refuse(header.flaw);
  const fields = writableFields(resource, 'import');
  const required = requiredFields(resource, 'import');
  const known = `${resource.name} have ${Object.keys(fields).join(', ')}`;
  const names = header.cells.map((cell) => cell ?? '');
  const unknown = names.filter((name) => !Object.hasOwn(fields, name));
  if (unknown.length > 0) refuse(`has unknown columns: ${quoted(unknown)}; ${known}`);
  const doubled = names.filter((name, i) => names.indexOf(name) !== i);
  if (doubled.length > 0) refuse(`has columns twice: ${quoted(doubled)}`);
  const missing = required.filter((name) => !names.includes(name));
  if (missing.length > 0) refuse(`lacks columns: ${quoted(missing)}; ${known}`);
  return names.flatMap((name) => {
    const field = fields[name];
    return field === undefined ? [] : [{ name, value: valueReader(field, required.includes(name)) }];
  });
}

const NAME_MAX_CHARACTERS = 64;
const quoted = (names: readonly string[]): string =>
  names.map((name) => JSON.stringify(name.slice(0, NAME_MAX_CHARACTERS))).join(', ');

const INTEGER = /^-?(0|[1-9]\d{0,14})$/;

/**
 * An empty cell is no value, except where only an empty text can be meant: quoted, or of a required field, if the
 * field may be empty. What is no number stays text, so that validation says what is allowed.
 */
function valueReader({ kind, schema }: Field<unknown>, required: boolean): Column['value'] {
  if (kind === 'integer') return (cell) => (INTEGER.test(cell ?? '') ? Number(cell) : cell || undefined);
  if (!('minLength' in schema) || schema.minLength !== 0) return (cell) => cell || undefined;
  return required ? (cell) => cell ?? '' : (cell) => cell ?? undefined;
}
