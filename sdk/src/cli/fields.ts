import { nearest } from '../near.ts';
import type { FieldKind, Resource } from '../resource.ts';
import { UsageError } from './command.ts';

/** `title=How to` sets a string, `url:=null` sets JSON. */
const ASSIGNMENT = /^([A-Za-z][\w-]*)(:?=)(.*)$/s;
/** Arguments that people give in place of a file, or of its text. */
const [FILE_NAME, JSON_TEXT] = [/\.(?:csv|json|jsonl|ndjson)$/i, /^\s*[[{]/];
const INTEGER = /^-?\d+$/;

/** The fields of a resource that this kind of write may set. */
export const writableFields = (resource: Resource, write: 'create' | 'update'): readonly string[] =>
  Object.keys(resource.fields).filter(
    (name) => !(resource.server ?? []).includes(name) && !(write === 'update' && name === 'id'),
  );

/**
 * Parses arguments such as `title=How to` into the fields of a record. Throws {@link UsageError} if one is invalid.
 */
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
    if (assignment === undefined)
      throw new UsageError(`"${arg}" is not FIELD=VALUE. ${fields}${fileHint(arg)}`);
    if (!allowed.includes(name)) throw new UsageError(`${refusal(resource, name, allowed)} ${fields}`);
    if (name in record) throw new UsageError(`The field ${name} is given twice.`);
    record[name] = operator === ':=' ? parseJson(arg, text) : parseText(name, resource.fields[name], text);
  }
  return record;
}

function fileHint(arg: string): string {
  if (FILE_NAME.test(arg)) return ` For a file: --file ${arg}`;
  return JSON_TEXT.test(arg) ? ' For JSON: --file -, which reads standard input.' : '';
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
    throw new UsageError(`The value after := in "${arg}" is not JSON.`);
  }
}
