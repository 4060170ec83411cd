import { type Field, requiredFields, writableFields } from '@svc/sdk/contract';
import type { Resource } from '../../src/resources/define.ts';
import { RECORD_RESOURCES } from '../../src/resources/index.ts';
import { COMPANY } from '../harness/lists.ts';

/** A field of a writable resource, with values that it accepts and values that it refuses. */
interface FieldCase {
  readonly name: string;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

/** A resource that is written over HTTP. Everything here follows from the contract. */
export interface WriteCase {
  readonly name: string;
  readonly path: string;
  readonly resource: Resource;
  /** The field that names the company. Undefined: the records are companies. */
  readonly parent?: 'companyId';
  /** The fields that a new record may have, without the id. */
  readonly fields: readonly FieldCase[];
  /** Fields that the service sets. */
  readonly serverSet: readonly string[];
}

export type Body = Readonly<Record<string, unknown>>;

const LONG = 'x'.repeat(65);

/** Values that every field refuses. Null is tested separately. */
const NEVER: readonly unknown[] = [true, [], {}, ['x'], { x: 1 }];

function badValues(field: Field): readonly unknown[] {
  if (field.kind === 'integer') return [...NEVER, '5', '', 5.5, field.min - 1, field.max + 1, 1e300, '1e1'];
  const text = [...NEVER, 5, 0, ...(field.nullable === true ? [] : [''])];
  if (field.kind === 'time')
    return [
      ...text,
      'now',
      '2026-03-01',
      '2026-02-30T00:00:00Z',
      '2026-03-01T09:30:00',
      '0000-01-01T00:00:00Z',
    ];
  if (field.kind === 'choice') return [...text, 'none_of_them', 'DRAFT', ' draft'];
  if (field.kind === 'id') return [...text, LONG, 'a b', 'a/b', 'é', 'a\n', '../x'];
  const unstorable = ['a\u0000b', '\ud800', 'a\udc00'];
  if (field.kind !== 'text') throw new Error(`A writer cannot give ${field.kind}.`);
  const { min = 1, max, rule } = field;
  const lengths = ['x'.repeat(max + 1), ...(min > 0 ? [''] : [])];
  if (rule === 'url')
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
      'https://a.example/\u0001',
      'https://a.example/\u0085',
      'https://[a.example/',
    ];
  const other = [...NEVER, 5, ...lengths, ...unstorable];
  if (rule === 'domain') return [...other, ...NO_DOMAINS];
  if (rule === 'notBlank') return [...other, ' ', '\t\n', '\u00a0\u2003\u3000'];
  return other;
}

const NO_DOMAINS: readonly string[] = [
  ' ',
  'acme',
  'not a domain!!',
  '<script>',
  'https://acme.example',
  'acme.example/',
  'acme.example:443',
  'acme.example.',
  '.acme.example',
  'acme..example',
  '-acme.example',
  'acme-.example',
  'a_b.example',
  'acme.example\n',
  'büro.example',
  '192.0.2.1',
  '[2001:db8::1]',
  `${'x'.repeat(64)}.example`,
];

function goodValues(field: Field): readonly unknown[] {
  const { example } = field;
  const none = field.nullable === true ? [null] : [];
  if (field.kind === 'integer') return [example, field.min, field.max, ...none];
  if (field.kind === 'time')
    return [
      example,
      '0001-01-01T00:00:00Z',
      '9999-12-31t23:59:59.999999z',
      '2026-03-01T09:30:00.5-0330',
      ...none,
    ];
  if (field.kind === 'choice') return [...field.values, ...none];
  if (field.kind !== 'text') return [example];
  const { min = 1, max, rule } = field;
  if (rule === 'domain')
    return [example, 'A.co', '1-2.xn--bro-hoa.example', `${'abc.'.repeat(62)}abcde`, ...none];
  if (rule === 'url')
    return [
      example,
      'HTTP://a.example',
      'https://köln.example/wiki/Köln?q={🙂}|"x"',
      `https://a.example/${'x'.repeat(2000)}`,
      ...none,
    ];
  return [
    example,
    'x'.repeat(min),
    '🙂'.repeat(max),
    'tab\t"quoted" \\N \\. line\nbreak \u2028 ünï',
    ...none,
  ];
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
        nullable: declared.nullable === true,
        good: field === 'companyId' ? [COMPANY] : goodValues(declared),
        bad: badValues(declared),
      })),
    serverSet: Object.keys(fields).filter((field) => !(field in writable)),
  };
}

/** Every resource that is written over HTTP. A resource that is added to the contract is tested too. */
export const WRITES: readonly WriteCase[] = RECORD_RESOURCES.map(writeCase);
export const CHANGEABLE = WRITES.filter(({ resource }) => !resource.immutable);
export const BELONGING = WRITES.filter(({ parent }) => parent !== undefined);

/** A record for a request: the examples of the contract, with an existing company. */
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
