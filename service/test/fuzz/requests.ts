import { openApiDocument } from '@svc/openapi';
import { isStream, type Link, type Operation, type Parameter } from '@svc/openapi/types';
import type { JsonSchema } from '@svc/sdk/contract';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { anyValue, type Ids, resolved, validValue } from './values.ts';

/** Requests of any operation that the document describes, with valid and invalid parameters, headers and bodies. */

const { paths, components } = openApiDocument({ publicUrl: 'http://svc.test', version: '0' });

/** It does not check formats: the service accepts more times than RFC 3339 allows. */
const ajv = new Ajv2020({ allowUnionTypes: true, validateFormats: false, strict: false });
const validators = new Map<string, ValidateFunction>();

function allows(schema: JsonSchema, value: unknown): boolean {
  const name = JSON.stringify(schema);
  const validate =
    validators.get(name) ?? ajv.compile({ ...schema, components: { schemas: components.schemas } });
  validators.set(name, validate);
  return validate(value) === true;
}

export interface DescribedOperation extends Operation {
  readonly method: string;
  readonly path: string;
}

export const OPERATIONS: readonly DescribedOperation[] = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item)
    // A stream has no end.
    .filter(([, operation]) => !isStream(operation))
    .map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
);

const KEYS = ['live', 'test', 'reader', 'company', 'unknown', 'none'] as const;
export type Key = (typeof KEYS)[number];

export interface FuzzRequest {
  readonly operation: DescribedOperation;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
  readonly key: Key;
  /** What the document forbids in it. If this is not empty, the service must refuse the request. */
  readonly forbidden: readonly string[];
}

/** The text that is sent for a parameter, and whether the document allows it. */
interface Sent {
  readonly parameter: Parameter;
  readonly text: string;
  readonly allowed: boolean;
}

/** The text as a value of the parameter's type; undefined if it is not of that type. */
function typed({ schema }: Parameter, text: string): unknown {
  if (schema['type'] === 'integer') return /^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : undefined;
  if (schema['type'] === 'boolean') return { true: true, false: false }[text];
  if (schema['type'] === 'array') return text.split(',');
  return text;
}

/** The text without the characters that a header cannot contain. */
const forHeader = (text: string): string => text.replace(/[^\x20-\x7e]/g, '').trim();

function sentAs(parameter: Parameter, value: unknown): Sent {
  const joined =
    Array.isArray(value) && value.every((item) => typeof item === 'string') ? value.join() : value;
  const raw = typeof joined === 'string' ? joined : (JSON.stringify(joined) ?? '');
  const text = parameter.in === 'header' ? forHeader(raw) : raw.toWellFormed();
  return { parameter, text, allowed: allows(parameter.schema, typed(parameter, text)) };
}

/** A parameter that is sent or left out, mostly with a valid value. `fixed` is the value from a link. */
function parameterArbitrary(
  parameter: Parameter,
  fixed: string | undefined,
  ids: Ids,
): fc.Arbitrary<Sent | undefined> {
  if (fixed !== undefined) return fc.constant(sentAs(parameter, fixed));
  // The usual values of `If-Match` and `If-None-Match`.
  const tags = parameter.name.startsWith('If-') ? [fc.constantFrom('*', '"x"', 'W/"x", *')] : [];
  const valid = fc.oneof(validValue(parameter.schema, ids), ...tags).map((value) => sentAs(parameter, value));
  const odd = anyValue(parameter.schema, ids).map((value) => sentAs(parameter, value));
  const sent = fc.oneof({ arbitrary: valid, weight: 6 }, { arbitrary: odd, weight: 1 });
  if (parameter.required === true) return sent;
  return fc.oneof({ arbitrary: fc.constant(undefined), weight: 2 }, { arbitrary: sent, weight: 1 });
}

interface Body {
  readonly payload: string;
  readonly type: string;
  readonly allowed: boolean;
}

function bodyArbitrary({ requestBody }: Operation, ids: Ids): fc.Arbitrary<Body | undefined> {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === undefined || media === undefined) return fc.constant(undefined);
  const schema = resolved<JsonSchema>(media.schema);
  const body = (value: unknown, sentType = type): Body => ({
    payload: JSON.stringify(value),
    type: sentType,
    allowed: sentType === type && allows(schema, value),
  });
  const valid = validValue(schema, ids).map((value) => body(value));
  const odd = anyValue(schema, ids).map((value) => body(value));
  const wrongType = fc
    .tuple(
      validValue(schema, ids),
      fc.constantFrom('text/plain', 'application/json; charset=latin1', 'application/xml'),
    )
    .map(([value, other]) => body(value, other));
  const broken = fc
    .tuple(validValue(schema, ids), fc.constantFrom('', '{', '[1', '{"a":1}}', 'nul', '\u0000'))
    .map(([value, end]) => ({ payload: JSON.stringify(value).slice(0, -1) + end, type, allowed: false }));
  return fc.oneof(
    { arbitrary: valid, weight: 8 },
    { arbitrary: odd, weight: 3 },
    { arbitrary: wrongType, weight: 1 },
    // JSON with a wrong end. It is never valid JSON.
    { arbitrary: broken.filter(({ payload }) => !isJson(payload)), weight: 1 },
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const key: fc.Arbitrary<Key> = fc.oneof(
  { arbitrary: fc.constantFrom('live' as const, 'test' as const), weight: 12 },
  { arbitrary: fc.constantFrom(...KEYS), weight: 3 },
);

const extraQuery = fc.oneof(
  { arbitrary: fc.constant(undefined), weight: 12 },
  { arbitrary: fc.constantFrom('colour=red', 'limit=1&limit=2', 'Limit=1', '=', 'cursor'), weight: 1 },
);

/** A request of the operation. `chained` has the parameters from a link of an earlier response, `ids` those of records. */
export function requestArbitrary(
  operation: DescribedOperation,
  chained: Link['parameters'] = {},
  ids: Ids = [],
): fc.Arbitrary<FuzzRequest> {
  const parameters = operation.parameters.map((parameter) => resolved<Parameter>(parameter));
  return fc
    .tuple(
      fc.tuple(...parameters.map((parameter) => parameterArbitrary(parameter, chained[parameter.name], ids))),
      bodyArbitrary(operation, ids),
      key,
      extraQuery,
      fc.boolean(),
    )
    .map(([sent, body, sentKey, extra, asHead]) => {
      const given = sent.filter((one) => one !== undefined);
      const of = (place: Parameter['in']): readonly Sent[] =>
        given.filter(({ parameter }) => parameter.in === place);
      const path = of('path').reduce(
        (url, { parameter, text }) => url.replace(`{${parameter.name}}`, () => encodeURIComponent(text)),
        operation.path,
      );
      const query = new URLSearchParams(of('query').map(({ parameter, text }) => [parameter.name, text]));
      const search = [query.toString(), ...(extra === undefined ? [] : [extra])]
        .filter((part) => part !== '')
        .join('&');
      const headers = Object.fromEntries(of('header').map(({ parameter, text }) => [parameter.name, text]));
      return {
        operation,
        method: operation.method === 'GET' && asHead && sentKey === 'test' ? 'HEAD' : operation.method,
        url: search === '' ? path : `${path}?${search}`,
        headers: body === undefined ? headers : { ...headers, 'content-type': body.type },
        ...(body === undefined ? {} : { payload: body.payload }),
        key: sentKey,
        forbidden: [
          ...given.filter(({ allowed }) => !allowed).map(({ parameter }) => parameter.name),
          ...(extra === undefined ? [] : [extra]),
          ...(body?.allowed === false ? ['body'] : []),
          ...(sentKey === 'unknown' || sentKey === 'none' ? ['key'] : []),
          ...(sentKey === 'reader' && operation.method !== 'GET' ? ['access'] : []),
        ],
      };
    });
}
