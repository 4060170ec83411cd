import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { RECORD_FIELDS_MAX } from '../config/limits.ts';
import type { FieldFailure } from '../http/errors.ts';
import type { Resource } from '../resources/define.ts';
import { createdAt, type Field, ID_ALLOWED, ID_PATTERN } from '../resources/field.ts';
import type { RecordInput } from './row.ts';
import { canonicalTime, TIME_ALLOWED } from './time.ts';

/**
 * `create`: a record given over HTTP; it may bring its own id. `patch`: what a merge patch sets. `import`: as create,
 * and it may bring what else the service sets (createdAt for every resource).
 */
export type ValidationMode = 'create' | 'patch' | 'import';

export type Validation =
  | { readonly ok: true; readonly input: RecordInput }
  | { readonly ok: false; readonly failures: readonly FieldFailure[] };

/** What PostgreSQL's text and JSON's text both can hold. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strict: true })
  .addKeyword({
    keyword: 'storable',
    type: 'string',
    validate: (_: boolean, text: string) => isStorable(text),
  })
  .addFormat('date-time', (text) => canonicalTime(text, 'shortest') !== undefined)
  .addFormat('uri', (text) => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text));

type Schema = Readonly<Record<string, unknown>>;

/** How records of a resource are checked in a mode; made once. */
interface Checker {
  readonly validate: ValidateFunction;
  /** The names of the fields that a writer may give. */
  readonly allowed: string;
}

const checkers = new Map<string, Checker>();

/** Failures of one record that are told. */
export const RECORD_FAILURES_MAX = 25;

/** Holds one parsed JSON value against a resource's declaration; the first failures are told, one for each field. */
export function validateRecord(resource: Resource, value: unknown, mode: ValidationMode): Validation {
  // Each unknown field is a failure to tell; a megabyte of them is not looked at.
  if (typeof value === 'object' && value !== null && Object.keys(value).length > RECORD_FIELDS_MAX) {
    return { ok: false, failures: [{ field: '', reason: `must have at most ${RECORD_FIELDS_MAX} fields` }] };
  }
  const { validate, allowed } = checkerOf(resource, mode);
  // The schema allows nothing but what RecordInput says.
  if (validate(value)) return { ok: true, input: value as RecordInput };
  const failures = new Map<string, FieldFailure>();
  for (const error of validate.errors ?? []) {
    const failure = failureOf(resource, allowed, error);
    if (!failures.has(failure.field)) failures.set(failure.field, failure);
    if (failures.size === RECORD_FAILURES_MAX) break;
  }
  return { ok: false, failures: [...failures.values()] };
}

function checkerOf(resource: Resource, mode: ValidationMode): Checker {
  const name = `${mode} ${resource.name}`;
  const known = checkers.get(name);
  if (known !== undefined) return known;
  const checker: Checker = {
    validate: ajv.compile(schemaOf(resource, mode)),
    allowed: Object.keys(writableFields(resource, mode)).join(', '),
  };
  checkers.set(name, checker);
  return checker;
}

/** The fields that a writer may give, in the order of the declaration. */
export function writableFields(
  resource: Resource,
  mode: ValidationMode,
): Readonly<Record<string, Field<unknown>>> {
  const fields = Object.entries(resource.fields).filter(([name, { from }]) =>
    mode === 'import' ? true : name === 'id' ? mode === 'create' : from === 'client',
  );
  return Object.fromEntries(mode === 'import' ? [...fields, ['createdAt', createdAt]] : fields);
}

/** The fields that a writer must give. */
export const requiredFields = (resource: Resource, mode: ValidationMode): readonly string[] =>
  Object.entries(writableFields(resource, mode))
    .filter(([name, { from, fallback }]) => {
      return mode !== 'patch' && name !== 'id' && from === 'client' && fallback === undefined;
    })
    .map(([name]) => name);

function schemaOf(resource: Resource, mode: ValidationMode): Schema {
  const fields = writableFields(resource, mode);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, valueSchema(field)])),
    required: requiredFields(resource, mode),
    additionalProperties: false,
  };
}

/** The field's schema as a writer must meet it: the wire's, and text that can be stored. */
function valueSchema({ schema, nullable, kind }: Field<unknown>): Schema {
  const {
    description: _,
    examples: __,
    ...rules
  }: Record<string, unknown> = nullable && 'anyOf' in schema && Array.isArray(schema.anyOf)
    ? schema.anyOf[0]
    : schema;
  if (Array.isArray(rules['enum'])) return nullable ? { enum: [...rules['enum'], null] } : rules;
  const checked = kind === 'integer' ? rules : { ...rules, storable: true };
  return nullable ? { ...checked, type: [rules['type'], 'null'] } : checked;
}

function failureOf(
  resource: Resource,
  allowed: string,
  { keyword, params, instancePath }: ErrorObject,
): FieldFailure {
  if (instancePath === '' && keyword === 'required')
    return { field: `/${params['missingProperty']}`, reason: 'is required' };
  if (instancePath === '' && keyword === 'additionalProperties')
    return unknownField(resource, allowed, String(params['additionalProperty']));
  if (instancePath === '') return { field: '', reason: 'must be a JSON object' };
  const field = resource.fields[instancePath.slice(1)] ?? createdAt;
  return { field: instancePath, reason: `must be ${allowedOf(field)}` };
}

const NAME_MAX_CHARACTERS = 64;

/** The JSON pointer (RFC 6901) of a field that a client has named; a long name is cut. */
export const pointerTo = (name: string): string =>
  `/${name.slice(0, NAME_MAX_CHARACTERS).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`;

function unknownField(resource: Resource, allowed: string, name: string): FieldFailure {
  const field = pointerTo(name);
  if (Object.hasOwn(resource.fields, name)) return { field, reason: 'is set by the service' };
  return { field, reason: `is not a field here; allowed: ${allowed}` };
}

/** What a field accepts, for people: `an integer from 0 to 100`. */
function allowedOf({ schema, nullable, kind }: Field<unknown>): string {
  const rules: Record<string, unknown> =
    nullable && 'anyOf' in schema && Array.isArray(schema.anyOf) ? schema.anyOf[0] : { ...schema };
  const allowed = (): string => {
    if (kind === 'time') return TIME_ALLOWED;
    if (kind === 'integer') return `an integer from ${rules['minimum']} to ${rules['maximum']}`;
    if (Array.isArray(rules['enum'])) return `one of ${rules['enum'].join(', ')}`;
    if (rules['pattern'] === ID_PATTERN) return `an id: ${ID_ALLOWED}`;
    if (rules['format'] === 'uri')
      return `an http or https address of at most ${rules['maxLength']} characters`;
    return `text of ${rules['minLength']} to ${rules['maxLength']} characters, without U+0000`;
  };
  return nullable ? `${allowed()}, or null` : allowed();
}
