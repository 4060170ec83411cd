import { defaultOf } from '@svc/sdk/contract';
import { newId } from '../config/ids.ts';
import { utc } from '../database/utc.ts';
import type { Resource } from '../resources/define.ts';
import { columnName } from '../resources/field.ts';
import { canonicalTime, type Precision } from './time.ts';

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
    input['createdAt'] === undefined
      ? now
      : requireTime('createdAt', String(input['createdAt']), 'microseconds');
  const values: Record<string, Value> = {};
  for (const name in resource.fields) {
    const value = name === 'id' ? id : name === 'createdAt' ? createdAt : input[name];
    values[name] =
      value === undefined ? missing(resource, name, createdAt) : canonical(resource, name, value);
  }
  return { id, createdAt, values, doc: JSON.stringify(values) };
}

/** Complete values in their canonical form: what PostgreSQL stores and what the record's `doc` shows. */
export const canonicalValues = (resource: Resource, values: RecordValues): RecordValues =>
  Object.fromEntries(
    Object.keys(resource.fields).map((name) => [name, canonical(resource, name, values[name] ?? null)]),
  );

/**
 * The wire JSON of complete values, such as those that {@link selectList} reads: what the record's `doc` must be.
 */
export const docOf = (resource: Resource, values: RecordValues): string =>
  JSON.stringify(canonicalValues(resource, values));

function canonical({ fields, server }: Resource, name: string, value: Value): Value {
  if (fields[name]?.kind !== 'time' || value === null) return value;
  return requireTime(name, String(value), server.includes(name) ? 'microseconds' : 'shortest');
}

function requireTime(name: string, value: string, precision: Precision): string {
  const time = canonicalTime(value, precision);
  if (time === undefined) throw new TypeError(`"${name}" was not validated: it is not a time.`);
  return time;
}

/** The value of a field that the input lacks: its default. A time that the service sets starts as createdAt. */
function missing({ fields, server, optional }: Resource, name: string, createdAt: string): Value {
  const field = fields[name];
  if (field !== undefined && optional.includes(name)) return defaultOf(field);
  if (field?.kind === 'time' && server.includes(name)) return createdAt;
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
