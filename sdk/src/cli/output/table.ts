import type { FieldKind, Resource } from '../../resource.ts';
import { sanitizeText } from '../io.ts';
import { type AnyRecord, cellText, type RecordWriter } from './record.ts';

const GAP = '  ';
/** A cell of free text is not wider, and gives way down to this. */
const TEXT_MAX = 60;
const TEXT_MIN = 16;
/** An id of another record may be cut further; the record's own never. */
const OTHER_ID_MIN = 10;
/** Columns that are wider than this, such as an excerpt's, are the first to be left out. */
const PROSE = 80;
/** East Asian wide characters and emoji take two columns of a terminal. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
type Fields = Resource['fields'];

const INVISIBLE = /[\u200b-\u200f\p{Mark}]/u;

const widthOf = (text: string): number => {
  let width = 0;
  for (const character of text) width += INVISIBLE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
};

/** Cuts or fills the text to exactly this width. */
function padOrCut(text: string, width: number): string {
  const own = widthOf(text);
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
 * Records as an aligned table. The columns take their widths from the first records and keep them; what is longer is cut.
 * In a terminal a row is one line: text gives way, and columns are left out when that is not enough.
 */
export function tableWriter(fields: Fields, terminalColumns = Number.POSITIVE_INFINITY): RecordWriter {
  const names = Object.keys(fields);
  let columns: readonly Column[] | undefined;
  const line = (texts: (name: string) => string): string =>
    `${(columns ?? [])
      .map(({ name, width }) => padOrCut(texts(name), width))
      .join(GAP)
      .trimEnd()}\n`;
  return {
    page(records) {
      if (records.length === 0) return '';
      const header = columns === undefined;
      columns ??= chooseColumns(
        names.map((name) => columnOf(name, fields[name], records)),
        terminalColumns,
      );
      const rows = records.map((record) => line((name) => cellOf(fields[name], record[name])));
      return (header ? line((name) => name) : '') + rows.join('');
    },
    end: () => '',
  };
}

interface Column {
  readonly name: string;
  /** Of its widest cell. */
  readonly natural: number;
  readonly width: number;
  readonly min: number;
}

/** A cell for people: times to the second. */
function cellOf(kind: FieldKind | undefined, value: unknown): string {
  const text = sanitizeText(cellText(value));
  return kind === 'time' ? text.replace(/\.\d+(?=Z$)/, '') : text;
}

function columnOf(name: string, kind: FieldKind | undefined, records: readonly AnyRecord[]): Column {
  const natural = Math.max(widthOf(name), ...records.map((record) => widthOf(cellOf(kind, record[name]))));
  if (kind !== 'text' || name === 'id') return { name, natural, width: natural, min: natural };
  const min = Math.max(widthOf(name), name.endsWith('Id') ? OTHER_ID_MIN : TEXT_MIN);
  return { name, natural, width: natural, min: Math.min(natural, min) };
}

/** Columns that fit: text is cut, prose is left out, then columns from the right are. */
function chooseColumns(columns: readonly Column[], terminalColumns: number): readonly Column[] {
  if (terminalColumns === Number.POSITIVE_INFINITY) return columns;
  const total = (of: readonly Column[], size: 'width' | 'min'): number =>
    of.reduce((sum, column) => sum + column[size], GAP.length * (of.length - 1));
  let kept = [...columns];
  if (total(kept, 'min') > terminalColumns) kept = kept.filter(({ natural }) => natural <= PROSE);
  while (kept.length > 1 && total(kept, 'min') > terminalColumns) kept.pop();
  kept = kept.map((column) => ({ ...column, width: Math.max(column.min, Math.min(column.width, TEXT_MAX)) }));
  while (total(kept, 'width') > terminalColumns) {
    const shrinkable = kept.filter(({ width, min }) => width > min).sort((a, b) => b.width - a.width);
    const [widest] = shrinkable;
    if (widest === undefined) break;
    kept = kept.map((column) => (column === widest ? { ...column, width: column.width - 1 } : column));
  }
  return kept;
}

/** One record, a line a field. */
export function detailText(columns: readonly string[], record: AnyRecord): string {
  const width = Math.max(...columns.map((column) => column.length));
  const shown = columns.filter((column) => record[column] !== undefined);
  return shown
    .map((column) => `${column.padEnd(width)}${GAP}${sanitizeText(cellText(record[column]))}\n`)
    .join('');
}
