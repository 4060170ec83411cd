import { nearest } from '../../near.ts';
import type { Resource } from '../../resource.ts';
import { flag, type Invocation, type Options, text, UsageError, type Values } from '../command.ts';
import { FORMATS, formatFor, type OutputFormat, recordText, recordWriter } from './format.ts';
import type { AnyRecord, RecordWriter } from './record.ts';
import type { Widths } from './table.ts';

type Fields = Resource['fields'];

/** The options of commands that print records with these fields. */
export const outputOptions = (fields: Fields): Options => ({
  format: {
    type: 'string',
    value: 'FORMAT',
    choices: FORMATS,
    description: 'Output format. Default: table on a terminal, ndjson otherwise',
  },
  json: { type: 'boolean', description: 'The same as --format json' },
  fields: {
    type: 'string',
    value: 'NAME,…',
    choices: Object.keys(fields),
    list: true,
    description: 'Print only these fields, in this order. Default: all',
  },
  'csv-safe': {
    type: 'boolean',
    description: "With --format csv: put ' before text that a spreadsheet would interpret as a formula",
  },
});

/** How a command prints its records. */
export interface RecordOutput {
  readonly writer: RecordWriter;
  /** The fields to ask for. Default: all. */
  readonly fields?: readonly string[];
  /** The text of a single record. */
  text(record: AnyRecord): string;
}

interface TableOptions {
  /** The fields of a table without --fields. Default: all. */
  readonly table?: Fields;
  /** The least widths of its columns. Default: those of their names. */
  readonly least?: Widths;
}

/** Reads the {@link outputOptions}. Throws {@link UsageError} if one is wrong. */
export function outputOf(
  { io, values }: Pick<Invocation, 'io' | 'values'>,
  all: Fields,
  { table = all, least }: TableOptions = {},
): RecordOutput {
  const format = formatOf(values, io.stdout);
  const names = namesOf(values, Object.keys(all));
  if (names === undefined) {
    return {
      writer: recordWriter(format, format === 'table' ? table : all, io.stdout, least),
      text: (record) => recordText(format, all, record, io.stdout),
    };
  }
  const fields: Fields = Object.fromEntries(names.map((name) => [name, all[name] ?? 'text']));
  const chosen = (record: AnyRecord): AnyRecord =>
    Object.fromEntries(names.flatMap((name) => (name in record ? [[name, record[name]]] : [])));
  const { page, end } = recordWriter(format, fields, io.stdout, least);
  return {
    fields: names,
    writer: { page: (records) => page(records.map(chosen)), end },
    text: (record) => recordText(format, fields, chosen(record), io.stdout),
  };
}

function formatOf(values: Values, stdout: Invocation['io']['stdout']): OutputFormat {
  const asked = flag(values, 'json') ? 'json' : text(values, 'format');
  if (flag(values, 'json') && text(values, 'format') !== undefined)
    throw new UsageError('Use either --json or --format, not both.');
  const format = FORMATS.find((name) => name === asked);
  if (asked !== undefined && format === undefined) {
    throw new UsageError(`--format must be one of ${FORMATS.join(', ')}, not "${asked}".`);
  }
  if (!flag(values, 'csv-safe')) return formatFor(format, stdout);
  if (format !== 'csv') throw new UsageError('--csv-safe requires --format csv.');
  return 'csv-safe';
}

/** The names in --fields; undefined if there are none. */
function namesOf(values: Values, known: readonly string[]): readonly string[] | undefined {
  const given = text(values, 'fields');
  if (given === undefined) return undefined;
  const names = given.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const near = nearest(unknown, known);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    throw new UsageError(`There is no field "${unknown}"${hint || '.'} The fields are ${known.join(', ')}.`);
  }
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new UsageError(`--fields has ${twice} twice.`);
  return names;
}
