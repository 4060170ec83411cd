import { canonicalTime } from '@svc/exact-times/canonical-time';
import type { Precision } from '@svc/exact-times/micros';
import { defaultOf } from '@svc/sdk/contract';
import { newId } from '../config/ids.ts';
import { utc } from '../database/utc.ts';
import { columnName, type Resource } from '../resources/define.ts';

export type Value = string | number | null;

/**
 * A validated record by wire names. Fields that the service sets (`id`, `createdAt`, `updatedAt`) and fields with a fallback
 * may be missing. Every resource accepts `createdAt`, also if it is no wire field. Times may have any offset.
 */
export type RecordInput = Readonly<Record<string, Value | undefined>>;

/** A complete record: every field of the resource, in the order of the definition, in its canonical form. */
export type RecordValues = Readonly<Record<string, Value>>;

/** A row of the table of a resource. */
export interface Row {
  readonly id: string;
  /** Canonical, six fractional digits. */
  readonly createdAt: string;
  readonly values: RecordValues;
  readonly doc: string;
}

/** Completes a record and writes its wire JSON. `now`: createdAt if the input has none. Throws if it was not validated. */
export function rowOf(resource: Resource, input: RecordInput, now: string): Row {
  const id = typeof input['id'] === 'string' ? input['id'] : newId(resource.idPrefix);
  const createdAt =
    input['createdAt'] === undefined
      ? now
      : requireTime('createdAt', String(input['createdAt']), 'microseconds');
  const values: Record<string, Value> = {};
  for (const name in resource.fields) {
    const value = name === 'id' ? id : input[name];
    if (name === 'createdAt') values[name] = createdAt;
    else
      values[name] =
        value === undefined ? missing(resource, name, input, createdAt) : canonical(resource, name, value);
  }
  return { id, createdAt, values, doc: JSON.stringify(values) };
}

/** Complete values in their canonical form, as PostgreSQL stores them and `doc` shows them. */
export const canonicalValues = (resource: Resource, values: RecordValues): RecordValues =>
  Object.fromEntries(
    Object.keys(resource.fields).map((name) => [name, canonical(resource, name, values[name] ?? null)]),
  );

/** The wire JSON that the `doc` of a record with these values must be. */
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

/**
 * The value of a field that the input lacks: its default. A time that the service sets starts as createdAt, and so does that
 * of the state in which the record is created.
 */
function missing(resource: Resource, name: string, input: RecordInput, createdAt: string): Value {
  const { fields, server, optional, transitions } = resource;
  const field = fields[name];
  if (transitions?.stamps[String(input[transitions.field])] === name)
    return canonical(resource, name, createdAt);
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
