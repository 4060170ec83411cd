import { SvcError } from '../errors.ts';
import { nearest } from '../near.ts';
import type { FieldKind, Resource } from '../resource.ts';
import { decodeUtf8 } from './input.ts';

/**
 * Reads CSV (RFC 4180) with a header of field names. The service's own reader is in a package that this one cannot depend
 * on: the client has no dependencies.
 */

/** A record of a file. */
export interface FileRecord {
  /** The line that it starts at, from 1. Of a JSON array, the number of the item. */
  readonly line: number;
  readonly unit: 'line' | 'item';
  readonly record: Readonly<Record<string, unknown>>;
}

/** An empty cell without quotes is null. */
type Cell = string | null;

interface Row {
  /** The line that it starts at, from 1. */
  readonly line: number;
  readonly cells: readonly Cell[];
}

interface CsvSource {
  /** The name of the file for messages. */
  readonly name: string;
  readonly fields: Resource['fields'];
  /** The fields that may be columns. */
  readonly columns: readonly string[];
}

/** As for an import, without leading zeros: `074` may be an identifier in the wrong column. */
const INTEGER = /^-?(?:0|[1-9]\d{0,14})$/;

/**
 * Yields the records. An empty cell has no value, and a quoted empty cell is an empty text. Throws {@link SvcError} that
 * names the line if the CSV is broken, is not UTF-8, or has other columns.
 */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  { name, fields, columns }: CsvSource,
): AsyncGenerator<FileRecord, void, undefined> {
  let header: readonly string[] | undefined;
  for await (const { line, cells } of readRows(bytes, name)) {
    if (header === undefined) {
      header = headerOf(cells, columns, name);
      continue;
    }
    if (cells.length !== header.length)
      throw new SvcError(
        `Line ${line} of ${name} has ${cells.length} cells, and its header has ${header.length}.`,
      );
    const record: Record<string, unknown> = {};
    for (const [i, column] of header.entries()) {
      const cell = cells[i] ?? null;
      if (cell !== null) record[column] = cellValue(fields[column], cell);
    }
    yield { line, unit: 'line', record };
  }
  if (header === undefined)
    throw new SvcError(`${name} is empty. CSV needs a header with the names of fields.`);
}

function headerOf(cells: readonly Cell[], columns: readonly string[], name: string): readonly string[] {
  const names = cells.map((cell) => (cell ?? '').trim());
  const refuse = (problem: string): never => {
    throw new SvcError(`The header of ${name} ${problem} The columns can be ${columns.join(', ')}.`);
  };
  const unknown = names.find((column) => !columns.includes(column));
  if (unknown !== undefined) {
    const near = nearest(unknown, columns);
    const hint = near === undefined ? '.' : `; did you mean ${near}?`;
    refuse(`has the column ${JSON.stringify(unknown)}, which cannot be set${hint}`);
  }
  const twice = names.find((column, i) => names.indexOf(column) !== i);
  if (twice !== undefined) refuse(`has the column ${twice} twice.`);
  return names;
}

/** The service refuses a number that is none, and says what is allowed. */
const cellValue = (kind: FieldKind | undefined, cell: string): string | number =>
  kind === 'integer' && INTEGER.test(cell) ? Number(cell) : cell;

/** The longest row, in characters. Without a limit, a quote that is not closed would hold the whole file in memory. */
const ROW_MAX_CHARACTERS = 1024 * 1024;

/** Spreadsheets of some languages write semicolons. The separator of the header is that of the file. */
const SEPARATORS = [',', ';', '\t'];

/** Skips empty lines between rows. */
async function* readRows(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Row, void, undefined> {
  let [line, start, length] = [1, 1, 0];
  let cells: Cell[] = [];
  let cell = '';
  let separators = SEPARATORS;
  let state = 'start' as 'start' | 'bare' | 'quoted' | 'closed';
  const refuse = (problem: string): never => {
    throw new SvcError(`Line ${start} of ${name} ${problem}.`);
  };
  const endCell = (): void => {
    cells.push(state === 'start' ? null : cell);
    [cell, state] = ['', 'start'];
  };
  /** The row that a line feed ends; undefined if the line is empty. */
  const endRow = (): Row | undefined => {
    // The carriage return of a line end.
    if (state === 'bare' && cell.endsWith('\r')) {
      cell = cell.slice(0, -1);
      if (cell === '') state = 'start';
    }
    const empty = cells.length === 0 && state === 'start';
    if (!empty) endCell();
    const row = { line: start, cells };
    [cells, length] = [[], 0];
    return empty ? undefined : row;
  };
  function* rowsOf(text: string): Generator<Row, void, undefined> {
    for (const character of text) {
      length += 1;
      if (length > ROW_MAX_CHARACTERS) refuse('is too long, or a quote in it is not closed');
      if (state === 'quoted') {
        if (character === '"') state = 'closed';
        else cell += character;
      } else if (state === 'closed' && character === '"') [cell, state] = [`${cell}"`, 'quoted'];
      else if (separators.includes(character)) {
        separators = [character];
        endCell();
      } else if (character === '\n') {
        const row = endRow();
        if (row !== undefined) {
          if (separators === SEPARATORS) separators = [','];
          yield row;
        }
        start = line + 1;
      } else if (state === 'closed') {
        if (character !== '\r') refuse('has text after the closing quote of a cell');
      } else if (character === '"') {
        if (state === 'bare') refuse('has a quote in a cell that does not start with one');
        state = 'quoted';
      } else [cell, state] = [cell + character, 'bare'];
      if (character === '\n') line += 1;
    }
  }
  const texts = decodeUtf8(bytes, () => refuse('or a later line is not UTF-8'));
  for await (const text of texts) yield* rowsOf(text);
  if (state === 'quoted') refuse('has a quote that is not closed');
  const last = endRow();
  if (last !== undefined) yield last;
}
