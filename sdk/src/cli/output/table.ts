import type { FieldKind, Resource } from '../../resource.ts';
import { sanitizeText } from '../io.ts';
import { type AnyRecord, cellText, type RecordWriter } from './record.ts';

const GAP = '  ';
/** Largest width of a text column, and the width down to which it may shrink. */
const TEXT_MAX = 60;
const TEXT_MIN = 16;
/** The width down to which the id of another record may shrink. The record's own id never shrinks. */
const OTHER_ID_MIN = 10;
/** Columns that are wider than this, such as excerpts, are the first to be omitted. */
const PROSE = 80;
/** East Asian wide characters and emoji, which take two columns of a terminal. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
type Fields = Resource['fields'];

const INVISIBLE = /[\u200b-\u200f\p{Mark}]/u;

const widthOf = (text: string): number => {
  let width = 0;
  for (const character of text) width += INVISIBLE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
};

/** Cuts or pads the text to exactly this width. It can be infinite: then the text stays as it is. */
function padOrCut(text: string, width: number): string {
  const own = widthOf(text);
  if (width === Number.POSITIVE_INFINITY) return text;
  if (own <= width) return text + ' '.repeat(width - own);
  let [kept, used] = ['', 0];
  for (const character of text) {
    const next = widthOf(character);
    if (used + next > width - 1) break;
    kept += character;
    used += next;
  }
  return `${kept}…${' '.repeat(width - 1 - used)}`;
}

/**
 * Writes records as an aligned table. The first page decides the widths of the columns; longer values on later pages
 * are cut. The last column has what is left of the line. On a terminal each record takes one line: text columns shrink,
 * and columns are omitted if that is not enough.
 */
export function tableWriter(
  fields: Fields,
  { terminalColumns = Number.POSITIVE_INFINITY, heading = (line) => line, least = {} }: TableLook = {},
): RecordWriter {
  const names = Object.keys(fields);
  let columns: readonly Column[] | undefined;
  const line = (texts: (name: string) => string): string =>
    (columns ?? [])
      .map(({ name, width }) => padOrCut(texts(name), width))
      .join(GAP)
      .trimEnd();
  return {
    page(records) {
      if (records.length === 0) return '';
      const header = columns === undefined;
      columns ??= chooseColumns(
        names.map((name) => columnOf(name, fields[name], records, least[name])),
        terminalColumns,
      );
      const rows = records.map((record) => `${line((name) => cellOf(fields[name], record[name]))}\n`);
      return (header ? `${heading(line((name) => name))}\n` : '') + rows.join('');
    },
    end: () => '',
  };
}

interface TableLook {
  /** Default: lines of any length. */
  readonly terminalColumns?: number | undefined;
  /** Emphasizes the first line. */
  readonly heading?: ((line: string) => string) | undefined;
  /** The least widths of columns, for a first page that has only one record. */
  readonly least?: Widths | undefined;
}

export type Widths = Readonly<Record<string, number>>;

interface Column {
  readonly name: string;
  /** Width of the widest cell. */
  readonly natural: number;
  readonly width: number;
  readonly min: number;
}

/** The text of a cell. Times are shown to the second. */
function cellOf(kind: FieldKind | undefined, value: unknown): string {
  const text = sanitizeText(cellText(value));
  return kind === 'time' ? text.replace(/\.\d+(?=Z$)/, '') : text;
}

function columnOf(
  name: string,
  kind: FieldKind | undefined,
  records: readonly AnyRecord[],
  least = widthOf(name),
): Column {
  const natural = Math.max(least, ...records.map((record) => widthOf(cellOf(kind, record[name]))));
  if (kind !== 'text' || name === 'id') return { name, natural, width: natural, min: natural };
  const min = Math.max(least, name.endsWith('Id') ? OTHER_ID_MIN : TEXT_MIN);
  return { name, natural, width: natural, min: Math.min(natural, min) };
}

/**
 * Chooses the columns that fit into the terminal: text shrinks, long text is omitted, then columns from the right.
 */
function chooseColumns(columns: readonly Column[], terminalColumns: number): readonly Column[] {
  const total = (of: readonly Column[], size: 'width' | 'min'): number =>
    of.reduce((sum, column) => sum + column[size], GAP.length * (of.length - 1));
  let kept = [...columns];
  if (terminalColumns === Number.POSITIVE_INFINITY) return withRest(kept, terminalColumns);
  if (total(kept, 'min') > terminalColumns) kept = kept.filter(({ natural }) => natural <= PROSE);
  while (kept.length > 1 && total(kept, 'min') > terminalColumns) kept.pop();
  kept = kept.map((column) => ({ ...column, width: Math.max(column.min, Math.min(column.width, TEXT_MAX)) }));
  while (total(kept, 'width') > terminalColumns) {
    const shrinkable = kept.filter(({ width, min }) => width > min).sort((a, b) => b.width - a.width);
    const [widest] = shrinkable;
    if (widest === undefined) break;
    kept = kept.map((column) => (column === widest ? { ...column, width: column.width - 1 } : column));
  }
  return withRest(kept, terminalColumns - total(kept, 'width'));
}

/** The columns, of which the last one has what is left of the line too. */
const withRest = (columns: readonly Column[], rest: number): readonly Column[] =>
  columns.map((column, i) =>
    i === columns.length - 1 ? { ...column, width: column.width + Math.max(rest, 0) } : column,
  );

/** One record, with one line per field. */
export function detailText(columns: readonly string[], record: AnyRecord): string {
  const width = Math.max(...columns.map((column) => column.length));
  const shown = columns.filter((column) => record[column] !== undefined);
  return shown
    .map((column) => `${column.padEnd(width)}${GAP}${sanitizeText(cellText(record[column]))}\n`)
    .join('');
}
