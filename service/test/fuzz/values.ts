import { openApiDocument } from '@svc/openapi';
import { type JsonSchema, TEXT_RULES } from '@svc/sdk/contract';
import fc from 'fast-check';
import { COMPANY, OTHER_COMPANY } from '../harness/lists.ts';

/** Values for the schemas of the OpenAPI document: valid ones, and ones that are close to valid. */

const { components, paths } = openApiDocument({ publicUrl: 'http://svc.test', version: '0' });

export function resolved<T extends object>(found: T | { readonly $ref: string }): T {
  if (!('$ref' in found)) return found as T;
  const [, , kind = '', name = ''] = String(found.$ref).split('/');
  const component = Object.entries(components).find(([candidate]) => candidate === kind)?.[1][name];
  if (component === undefined) throw new Error(`${found.$ref} leads nowhere`);
  return component as T;
}

const LENGTH_MAX = 60;
const number = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Existing days, offsets that PostgreSQL does not accept, fractions of different lengths. */
const time: fc.Arbitrary<string> = fc
  .tuple(
    fc.date({
      min: new Date('0001-01-02T00:00:00Z'),
      max: new Date('9999-12-30T00:00:00Z'),
      noInvalidDate: true,
    }),
    fc.constantFrom('', '.5', '.123', '.123456', '.100000'),
    fc.constantFrom('Z', '+00:00', '-00:00', '+05:30', '+16:00', '-23:59'),
  )
  .map(([date, fraction, offset]) => date.toISOString().slice(0, 19) + fraction + offset);

const text = (schema: JsonSchema): fc.Arbitrary<string> => {
  const minLength = number(schema['minLength'], 0);
  const maxLength = number(schema['maxLength'], LENGTH_MAX);
  const short = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, LENGTH_MAX) });
  return fc.oneof(
    { arbitrary: short, weight: 9 },
    { arbitrary: fc.constant('🙂'.repeat(maxLength)), weight: 1 },
  );
};

/** The ids of records that may exist, of the list that the request is about. */
export type Ids = readonly string[];

const COMPANIES: Ids = [COMPANY, OTHER_COMPANY];

function ofType(type: unknown, schema: JsonSchema, ids: Ids): fc.Arbitrary<unknown> {
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer' || type === 'number') {
    const [min, max] = [number(schema['minimum'], -100), number(schema['maximum'], 1_000)];
    return fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max }));
  }
  if (type === 'array') {
    const items = validValue(resolved<JsonSchema>(Object(schema['items'])), ids);
    const minLength = number(schema['minItems'], 0);
    // Lists of one item are the most likely to be accepted: they cannot name a record twice.
    return fc.oneof(...[1, 4].map((maxLength) => fc.array(items, { minLength, maxLength })));
  }
  if (type === 'object') {
    const properties: readonly (readonly [string, JsonSchema])[] = Object.entries(
      Object(schema['properties']),
    );
    if (isWrite(properties)) return writeOfRecord(ids);
    const values = properties.map(
      ([name, value]) => [name, validValue(resolved(value), name === 'companyId' ? COMPANIES : ids)] as const,
    );
    return fc.record(Object.fromEntries(values), { requiredKeys: list(schema['required']).map(String) });
  }
  if (schema['format'] === 'date-time') return time;
  if (schema['format'] === 'uri') return fc.webUrl();
  if (schema['pattern'] === TEXT_RULES.url.pattern)
    return fc.webUrl().chain((url) => fc.constantFrom(url, `${new URL(url).origin}/wiki/Köln|{東京}`));
  if (schema['pattern'] === TEXT_RULES.domain.pattern) return fc.domain();
  if (schema['pattern'] === TEXT_RULES.notBlank.pattern)
    return text(schema).map((blank) => (/\S/u.test(blank) ? blank : 'x'));
  // Other patterns are those of ids. Mostly the id is one that exists.
  if ('pattern' in schema)
    return fc.oneof(
      { arbitrary: fc.constantFrom(...(ids.length === 0 ? COMPANIES : ids)), weight: 5 },
      { arbitrary: fc.stringMatching(/^[A-Za-z0-9_-]{8,64}$/), weight: 1 },
    );
  return text(schema);
}

/** Whether the properties are those of a write in `POST /v1/batch`. */
const isWrite = (properties: readonly (readonly [string, JsonSchema])[]): boolean =>
  properties.some(([name, schema]) => name === 'path' && schema['pattern'] === WRITE_PATH);

const WRITE_PATH = '^/v1/(audits|mentions|content|companies)(/[^/?#]+)?$';

/** A write of one record as in `POST /v1/batch`: any operation of the document with such a path. */
function writeOfRecord(ids: Ids): fc.Arbitrary<unknown> {
  const writes = Object.entries(paths)
    .filter(([path]) => new RegExp(WRITE_PATH).test(path) && !path.endsWith('/batch'))
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
    )
    .filter(({ method }) => method !== 'get');
  const id = fc.constantFrom(COMPANY, ...ids);
  return fc.oneof(
    ...writes.map(({ path, method, operation }) => {
      const [media] = Object.values(operation.requestBody?.content ?? {});
      const body =
        media === undefined ? fc.constant({}) : validValue(resolved<JsonSchema>(media.schema), ids);
      return fc.tuple(id, body).map(([record, value]) => ({
        method: method.toUpperCase(),
        path: path.replace('{id}', record),
        ...(media === undefined ? {} : { body: value }),
      }));
    }),
  );
}

/** A value that the schema allows. */
export function validValue(schema: JsonSchema, ids: Ids): fc.Arbitrary<unknown> {
  const [known] = list(schema['anyOf']);
  if (known !== undefined) return validValue(resolved<JsonSchema>(Object(known)), ids);
  if ('const' in schema) return fc.constant(schema['const']);
  const values = list(schema['enum']);
  if (values.length > 0) return fc.constantFrom(...values);
  return fc.oneof(...[schema['type']].flat().map((type) => ofType(type, schema, ids)));
}

const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  5.5,
  1e300,
  '',
  ' ',
  '5',
  'x'.repeat(3_000),
  'a\u0000b',
  '\ud800',
  '2026-02-30T00:00:00Z',
  '0000-12-31T23:30:00-01:00',
  'javascript:1',
  [],
  {},
  { __proto__: null },
];

const oddValue: fc.Arbitrary<unknown> = fc.oneof(fc.constantFrom(...ODD), fc.jsonValue({ maxDepth: 3 }));

/** A value that the schema may or may not allow: a valid value with one change, or any JSON value. */
export function anyValue(schema: JsonSchema, ids: Ids): fc.Arbitrary<unknown> {
  const changed = fc
    .tuple(validValue(schema, ids), fc.nat(), fc.nat(3), fc.string({ maxLength: 8 }), oddValue)
    .map(change);
  return fc.oneof({ arbitrary: changed, weight: 4 }, { arbitrary: oddValue, weight: 1 });
}

type Change = readonly [value: unknown, place: number, kind: number, name: string, odd: unknown];

/** Replaces, removes or adds one part at a random place of the value. */
function change([value, place, kind, name, odd]: Change): unknown {
  if (Array.isArray(value) && value.length > 0) {
    const index = place % value.length;
    return value.map((item, i) => (i === index ? change([item, place, kind, name, odd]) : item));
  }
  if (typeof value !== 'object' || value === null) return odd;
  const names = Object.keys(value);
  const chosen = names[place % Math.max(names.length, 1)] ?? name;
  const entries = Object.entries(value);
  if (kind === 0) return Object.fromEntries(entries.filter(([key]) => key !== chosen));
  if (kind === 1) return Object.fromEntries([...entries, [name, odd]]);
  return Object.fromEntries(entries.map(([key, item]) => [key, key === chosen ? deeper(item) : item]));
  function deeper(item: unknown): unknown {
    return Array.isArray(item) ? change([item, place, kind, name, odd]) : odd;
  }
}
