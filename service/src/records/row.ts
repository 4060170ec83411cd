import { newId } from '../config/ids.ts';
import { utc } from '../database/utc.ts';
import type { Resource } from '../resources/define.ts';
import { columnName, type Field } from '../resources/field.ts';
import { canonicalTime } from './time.ts';

export type Value = string | number | null;

/**
 * A validated record by wire names. It may lack what the service sets (`id`, `createdAt`, `updatedAt`) and what has a
 * fallback; `createdAt` is accepted for every resource, also where it is no wire field. Times may have any offset.
 */
export type RecordInput = Readonly<Record<string, Value | undefined>>;

/** A record that lacks nothing: every field of the resource in the declared order, canonical. */
export type RecordValues = Readonly<Record<string, Value>>;

/** A row of the table of a resource. */
export interface Row {
  readonly id: string;
  /** Canonical, six fractional digits. */
  readonly createdAt: string;
  readonly values: RecordValues;
  readonly doc: string;
}

/**
 * Completes a record and writes its wire JSON; `now` is its createdAt unless it has one of its own. Throws when the
 * input was not validated.
 */
export function rowOf(resource: Resource, input: RecordInput, now: string): Row {
  const id = typeof input['id'] === 'string' ? input['id'] : newId(resource.idPrefix);
  const createdAt =
    input['createdAt'] === undefined ? now : String(canonical('createdAt', CREATED, input['createdAt']));
  const values: Record<string, Value> = {};
  for (const name in resource.fields) {
    const field = resource.fields[name];
    if (field === undefined) continue;
    const value = name === 'id' ? id : name === 'createdAt' ? createdAt : input[name];
    values[name] = value === undefined ? missing(name, field, createdAt) : canonical(name, field, value);
  }
  return { id, createdAt, values, doc: JSON.stringify(values) };
}

/** Complete values in their canonical form: what PostgreSQL stores and what the record's `doc` shows. */
export const canonicalValues = (resource: Resource, values: RecordValues): RecordValues =>
  Object.fromEntries(
    Object.entries(resource.fields).map(([name, field]) => [
      name,
      canonical(name, field, values[name] ?? null),
    ]),
  );

/**
 * The wire JSON of complete values, such as those that {@link selectList} reads: what the record's `doc` must be.
 */
export const docOf = (resource: Resource, values: RecordValues): string =>
  JSON.stringify(canonicalValues(resource, values));

const CREATED = { kind: 'time', from: 'server' } as const;

function canonical(name: string, { kind, from }: Pick<Field<unknown>, 'kind' | 'from'>, value: Value): Value {
  if (kind !== 'time' || value === null) return value;
  const time = canonicalTime(String(value), from === 'server' ? 'microseconds' : 'shortest');
  if (time === undefined) throw new TypeError(`"${name}" was not validated: it is no time.`);
  return time;
}

/** A time that the service sets (`updatedAt`) begins as createdAt. */
function missing(name: string, { kind, from, fallback }: Field<unknown>, createdAt: string): Value {
  if (fallback === null || typeof fallback === 'string' || typeof fallback === 'number') return fallback;
  if (kind === 'time' && from === 'server') return createdAt;
  throw new TypeError(`"${name}" was not validated: it is required.`);
}

/** SQL that selects the values of a resource's records from its columns, by their wire names. */
export const selectList = (resource: Resource): string =>
  Object.entries(resource.fields)
    .map(([name, { kind }]) => {
      const column = columnName(name);
      return kind === 'time' ? `${utc(column)} as "${name}"` : `${column} as "${name}"`;
    })
    .join(', ');

/** The columns of a resource's table in the order of {@link copyLine}. */
export const columnsOf = (resource: Resource): readonly string[] => [
  'workspace_id',
  ...Object.keys(resource.fields).map(columnName),
  ...('createdAt' in resource.fields ? [] : ['created_at']),
  'doc',
];

/** A row in the text format of COPY, with the line break. */
export function copyLine(workspaceId: string, resource: Resource, row: Row): string {
  let line = workspaceId;
  for (const name in row.values) line += `\t${copyValue(row.values[name] ?? null)}`;
  if (!('createdAt' in resource.fields)) line += `\t${row.createdAt}`;
  return `${line}\t${copyValue(row.doc)}\n`;
}

const SPECIAL = /[\\\n\r\t]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function copyValue(value: Value): string {
  if (value === null) return '\\N';
  if (typeof value === 'number') return String(value);
  return SPECIAL.test(value)
    ? value.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character)
    : value;
}
