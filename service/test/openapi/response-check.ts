import { openApiDocument } from '@svc/openapi';
import {
  EVENT_STREAM,
  type Header,
  METHODS,
  NDJSON,
  type Operation,
  type Reference,
  type Response,
  reference,
} from '@svc/openapi/types';
import type { ErrorEnvelope } from '@svc/sdk';
import { ERRORS } from '@svc/sdk/contract';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/**
 * Checks responses against the OpenAPI document. It is stricter than the published schemas, which allow fields that are
 * added later: here, a property that the document does not have is a violation.
 */

export interface CheckedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly text: string;
}

const PREFIX = '/v1/';
const JSON_TYPE = 'application/json; charset=utf-8';
const STREAM_TYPES = [EVENT_STREAM, NDJSON];
const FIRST_ERROR_STATUS = 400;

const { paths, components } = openApiDocument({ publicUrl: 'http://svc.test', version: '0' });

/** The schemas of the document. Their objects refuse properties that they do not name. */
const closedSchemas: unknown = JSON.parse(JSON.stringify(components.schemas), (_, value: unknown) => {
  if (typeof value !== 'object' || value === null) return value;
  if ('properties' in value) return { ...value, additionalProperties: false };
  // The schema allows values that are added later. Here, only the documented values are valid.
  if (!('anyOf' in value && Array.isArray(value.anyOf))) return value;
  // The last one allows records of changes of other types.
  if (JSON.stringify(value.anyOf.at(-1)) === '{"type":"object"}')
    return { ...value, anyOf: value.anyOf.slice(0, -1) };
  const [known, any] = value.anyOf;
  return 'enum' in Object(known) && JSON.stringify(any) === '{"type":"string"}' ? known : value;
});

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
addFormats.default(ajv);
// The references of a schema lead to `components`. It is not a rule.
ajv.addVocabulary(['components']);
const validators = new Map<object, ValidateFunction>();

/** The same schemas for a request with `fields`: the items have only some of the required properties. */
const partialSchemas: unknown = JSON.parse(JSON.stringify(closedSchemas), (name, value: unknown) =>
  name === 'required' && Array.isArray(value) ? [] : value,
);
const partialValidators = new Map<object, ValidateFunction>();

/** The violations of a schema of the document by a value; empty if there are none. */
export function schemaViolations(schema: object, value: unknown, partial = false): readonly string[] {
  const [known, schemas] = partial ? [partialValidators, partialSchemas] : [validators, closedSchemas];
  let validate = known.get(schema);
  if (validate === undefined) {
    validate = ajv.compile({ ...schema, components: { schemas } });
    known.set(schema, validate);
  }
  return validate(value)
    ? []
    : (validate.errors ?? []).map((error) => ajv.errorsText([error], { dataVar: '' }));
}

/** Throws if the document does not allow this response to the request. Responses of paths outside `/v1` pass. */
export function assertDocumented(method: string, url: string, answer: CheckedAnswer): void {
  const [path = '', query = ''] = url.split('?', 2);
  if (!path.startsWith(PREFIX)) return;
  const partial = new URLSearchParams(query).has('fields');
  const violations = violationsOf(method, path, answer, partial);
  if (violations.length === 0) return;
  throw new Error(
    `The OpenAPI document has no such response to ${method} ${url}:\n  ${violations.join('\n  ')}\n${answer.status} ${answer.text}`,
  );
}

function violationsOf(
  method: string,
  path: string,
  answer: CheckedAnswer,
  partial: boolean,
): readonly string[] {
  const operation = operationOf(method, path);
  if (operation === undefined) return undocumentedRequest(method, answer);
  const found = operation.responses[answer.status];
  if (found === undefined) return [`${operation.operationId} has no response ${answer.status}`];
  const response = resolve<Response>(found);
  return [...headerViolations(response, answer), ...bodyViolations(response, method, answer, partial)];
}

/** The documented operation that a request is routed to. A fixed path has precedence over `{id}`, and HEAD counts as GET. */
function operationOf(method: string, path: string): Operation | undefined {
  const documented = METHODS.find((name) => name === (method === 'HEAD' ? 'get' : method.toLowerCase()));
  if (documented === undefined) return undefined;
  return paths[path]?.[documented] ?? paths[path.replace(/[^/]+$/, '{id}')]?.[documented];
}

/** The violations for a path or method that the document does not have: it must fail, with the error envelope. */
function undocumentedRequest(method: string, answer: CheckedAnswer): readonly string[] {
  const response: Response = {
    description: 'any failure',
    headers: { 'Request-Id': reference('headers', 'RequestId') },
    content: { 'application/json': { schema: { ...ANY_FAILURE } } },
  };
  return [
    ...(answer.status < FIRST_ERROR_STATUS ? ['the document has no such path or method'] : []),
    ...headerViolations(response, answer),
    ...bodyViolations(response, method, answer),
  ];
}

const ANY_FAILURE = reference('schemas', 'ErrorEnvelope');

function resolve<T extends object>(found: T | Reference): T {
  if (!('$ref' in found)) return found;
  const [, , kind = '', name = ''] = found.$ref.split('/');
  const component = Object.entries(components).find(([candidate]) => candidate === kind)?.[1][name];
  if (component === undefined) throw new Error(`${found.$ref} leads nowhere`);
  return component as T;
}

function headerViolations({ headers }: Response, answer: CheckedAnswer): readonly string[] {
  return Object.entries(headers).flatMap(([name, found]) => {
    const { required, schema } = resolve<Header>(found);
    const value = answer.headers[name.toLowerCase()];
    if (value === undefined) return required ? [`the header ${name} is missing`] : [];
    const typed = schema['type'] === 'integer' ? Number(value) : value;
    return schemaViolations(schema, typed).map((violation) => `the header ${name}${violation}`);
  });
}

function bodyViolations(
  { content }: Response,
  method: string,
  answer: CheckedAnswer,
  partial = false,
): readonly string[] {
  const { text, headers, status } = answer;
  if (content === undefined || method === 'HEAD') return text === '' ? [] : ['there must be no body'];
  const media = 'application/json' in content ? content['application/json'] : undefined;
  const stream = STREAM_TYPES.find((type) => type in content);
  if (headers['content-type'] !== (stream === undefined ? JSON_TYPE : `${stream}; charset=utf-8`))
    return [`the content type is ${String(headers['content-type'])}`];
  if (media === undefined) return [];
  const body: unknown = JSON.parse(text);
  const { schema, examples } = media;
  const violations = schemaViolations(schema, body, partial && status < FIRST_ERROR_STATUS);
  return status < FIRST_ERROR_STATUS || violations.length > 0
    ? violations
    : codeViolations(body, status, examples);
}

/** The contract has the status of each code, and the examples of a failure response are its possible codes. */
function codeViolations(body: unknown, status: number, examples: object | undefined): readonly string[] {
  const { code } = (body as ErrorEnvelope).error;
  if (examples !== undefined && !(code in examples)) return [`the code ${code} is not possible here`];
  const known = Object.entries(ERRORS).find(([name]) => name === code);
  return known?.[1].status === status ? [] : [`the code ${code} does not have the status ${status}`];
}
