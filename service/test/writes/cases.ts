import { requiredFields, writableFields } from '../../src/records/validate.ts';
import type { Resource } from '../../src/resources/define.ts';
import type { Field } from '../../src/resources/field.ts';
import { RESOURCES } from '../../src/resources/index.ts';
import { COMPANY } from '../harness/lists.ts';

/** A field of a writable resource with values that it takes and values that it does not. */
interface FieldCase {
  readonly name: string;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

/** A resource that is written over HTTP; all of it follows from its declaration. */
export interface WriteCase {
  readonly name: string;
  readonly path: string;
  readonly resource: Resource;
  /** The field that names the company; absent: its records are the companies. */
  readonly parent?: 'companyId';
  /** Those that a new record may have, without the id. */
  readonly fields: readonly FieldCase[];
  /** Fields that the service sets. */
  readonly serverSet: readonly string[];
}

export type Body = Readonly<Record<string, unknown>>;

const LONG = 'x'.repeat(65);

/** What is wrong for a field whatever else its rules are; null comes apart. */
const NEVER: readonly unknown[] = [true, [], {}, ['x'], { x: 1 }];

function badValues({ kind, schema, nullable }: Field<unknown>): readonly unknown[] {
  const rules = rulesOf(schema);
  const { minimum = 0, maximum = 0, maxLength = 0, minLength = 0 } = rules;
  if (kind === 'integer')
    return [...NEVER, '5', '', 5.5, Number(minimum) - 1, Number(maximum) + 1, 1e300, '1e1'];
  const text = [...NEVER, 5, 0, ...(nullable ? [] : [''])];
  if (kind === 'time')
    return [
      ...text,
      'now',
      '2026-03-01',
      '2026-02-30T00:00:00Z',
      '2026-03-01T09:30:00',
      '0000-01-01T00:00:00Z',
    ];
  if ('enum' in rules) return [...text, 'none_of_them', 'DRAFT', ' draft'];
  if ('pattern' in rules) return [...text, LONG, 'a b', 'a/b', 'é', 'a\n', '../x'];
  const unstorable = ['a\u0000b', '\ud800', 'a\udc00'];
  const lengths = ['x'.repeat(Number(maxLength) + 1), ...(Number(minLength) > 0 ? [''] : [])];
  if (rules['format'] === 'uri')
    return [
      ...NEVER,
      5,
      ...lengths,
      ...unstorable,
      'x',
      'ftp://a.example/',
      'javascript:1',
      'https://',
      'http://a b/',
    ];
  return [...NEVER, 5, ...lengths, ...unstorable];
}

function goodValues({ kind, schema, example, nullable }: Field<unknown>): readonly unknown[] {
  const rules = rulesOf(schema);
  const { minimum, maximum, maxLength, minLength } = rules;
  const none = nullable ? [null] : [];
  if (kind === 'integer') return [example, minimum, maximum, ...none];
  if (kind === 'time')
    return [
      example,
      '0001-01-01T00:00:00Z',
      '9999-12-31t23:59:59.999999z',
      '2026-03-01T09:30:00.5-0330',
      ...none,
    ];
  if (Array.isArray(rules['enum'])) return [...rules['enum'], ...none];
  if ('pattern' in rules) return [example];
  if (rules['format'] === 'uri')
    return [example, 'HTTP://a.example', `https://a.example/${'x'.repeat(2000)}`, ...none];
  return [
    example,
    'x'.repeat(Number(minLength)),
    '🙂'.repeat(Number(maxLength)),
    'tab\t"quoted" \\N \\. line\nbreak \u2028 ünï',
    ...none,
  ];
}

/** A value's own rules, also of a field that may be null. */
function rulesOf(schema: Field<unknown>['schema']): Readonly<Record<string, unknown>> {
  return 'anyOf' in schema && Array.isArray(schema.anyOf) ? schema.anyOf[0] : { ...schema };
}

function writeCase(resource: Resource): WriteCase {
  const { name, path, fields } = resource;
  const writable = writableFields(resource, 'create');
  const required = requiredFields(resource, 'create');
  return {
    name,
    path,
    resource,
    ...('companyId' in fields ? { parent: 'companyId' as const } : {}),
    fields: Object.entries(writable)
      .filter(([field]) => field !== 'id')
      .map(([field, declared]) => ({
        name: field,
        required: required.includes(field),
        nullable: declared.nullable,
        good: field === 'companyId' ? [COMPANY] : goodValues(declared),
        bad: badValues(declared),
      })),
    serverSet: Object.keys(fields).filter((field) => !(field in writable)),
  };
}

/** Every resource that is written over HTTP: a new one is tested by being declared. */
export const WRITES: readonly WriteCase[] = RESOURCES.filter(({ writable }) => writable).map(writeCase);
export const CHANGEABLE = WRITES.filter(({ resource }) => !resource.immutable);
export const BELONGING = WRITES.filter(({ parent }) => parent !== undefined);

/** A record as a writer gives it: the declaration's examples, of the company that there is. */
export function newRecord({ resource, parent }: WriteCase, over: Body = {}): Body {
  const { id: _, ...fields } = writableFields(resource, 'create');
  const examples = Object.entries(fields).map(([name, { example }]) => [name, example]);
  return { ...Object.fromEntries(examples), ...(parent === undefined ? {} : { [parent]: COMPANY }), ...over };
}

/** The case of a resource by its name. */
export function writeCaseOf(name: string): WriteCase {
  const found = WRITES.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${name} cannot be written`);
  return found;
}
