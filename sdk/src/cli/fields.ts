import { nearest } from '../near.ts';
import type { FieldKind, Resource } from '../resource.ts';
import { UsageError } from './command.ts';

/** `title=How to`, or `url:=null` for JSON. */
const ASSIGNMENT = /^([A-Za-z]\w*)(:?=)(.*)$/s;
const INTEGER = /^-?\d+$/;

/** Fields of a resource that a writer may give. */
export const writableFields = (resource: Resource, write: 'create' | 'update'): readonly string[] =>
  Object.keys(resource.fields).filter(
    (name) => !(resource.server ?? []).includes(name) && !(write === 'update' && name === 'id'),
  );

/** A record, or a part of one, from arguments such as `title=How to`. Throws {@link UsageError}. */
export function parseFields(
  resource: Resource,
  write: 'create' | 'update',
  args: readonly string[],
): Readonly<Record<string, unknown>> {
  const allowed = writableFields(resource, write);
  const record: Record<string, unknown> = {};
  for (const arg of args) {
    const fields = `The fields are ${allowed.join(', ')}.`;
    const [assignment, name = '', operator, text = ''] = ASSIGNMENT.exec(arg) ?? [];
    if (assignment === undefined) throw new UsageError(`"${arg}" is not FIELD=VALUE. ${fields}`);
    if (!allowed.includes(name)) throw new UsageError(`${refusal(resource, name, allowed)} ${fields}`);
    if (name in record) throw new UsageError(`${name} is given twice.`);
    record[name] = operator === ':=' ? parseJson(arg, text) : parseText(name, resource.fields[name], text);
  }
  return record;
}

function refusal(resource: Resource, name: string, allowed: readonly string[]): string {
  if (Object.hasOwn(resource.fields, name)) return `The field ${name} cannot be set here.`;
  const near = nearest(name, allowed);
  return `There is no field ${name}${near === undefined ? '.' : `; did you mean ${near}?`}`;
}

function parseText(name: string, kind: FieldKind | undefined, text: string): string | number {
  if (kind !== 'integer') return text;
  if (!INTEGER.test(text)) throw new UsageError(`${name} must be a whole number, not "${text}".`);
  return Number(text);
}

function parseJson(arg: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`What follows := in "${arg}" is not JSON.`);
  }
}
