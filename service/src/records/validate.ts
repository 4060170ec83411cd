import { canonicalTime, TIME_ALLOWED } from '@svc/exact-times/canonical-time';
import {
  createdAt,
  type Field,
  ID_ALLOWED,
  type JsonSchema,
  NEW_ID_ALLOWED,
  requiredFields,
  TEXT_RULES,
  type WriteMode,
  writableFields,
  writtenSchemaOf,
} from '@svc/sdk/contract';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { RECORD_FIELDS_MAX } from '../config/limits.ts';
import type { FieldFailure } from '../http/errors.ts';
import type { Resource } from '../resources/define.ts';
import type { RecordInput } from './row.ts';

export type Validation<Input = RecordInput> =
  | { readonly ok: true; readonly input: Input }
  | { readonly ok: false; readonly failures: readonly FieldFailure[] };

/** Whether both PostgreSQL and JSON can hold the text. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strict: true })
  .addKeyword({
    keyword: 'storable',
    type: 'string',
    validate: (rule: unknown, text: string) => isStorable(text) && (rule !== 'url' || URL.canParse(text)),
  })
  .addFormat('date-time', (text) => canonicalTime(text, 'shortest') !== undefined);

/** Validates the records of a resource in one mode. It is created once. */
interface Checker {
  readonly validate: ValidateFunction;
  /** The names of the fields that a writer may give, for messages. */
  readonly allowed: string;
}

const checkers = new Map<string, Checker>();

/** The most failures that are reported for a record. */
export const RECORD_FAILURES_MAX = 25;

/** Validates one parsed JSON value. A refusal has the first failure of each field. */
export function validateRecord(resource: Resource, value: unknown, mode: WriteMode): Validation {
  // Each unknown field is a failure. A body can have a megabyte of them, so they are counted first.
  if (typeof value === 'object' && value !== null && Object.keys(value).length > RECORD_FIELDS_MAX) {
    return { ok: false, failures: [{ field: '', reason: `must have at most ${RECORD_FIELDS_MAX} fields` }] };
  }
  const { validate, allowed } = checkerOf(resource, mode);
  // The schema allows only what RecordInput says.
  if (validate(value)) return { ok: true, input: value as RecordInput };
  const failures = new Map<string, FieldFailure>();
  for (const error of validate.errors ?? []) {
    const failure = failureOf(resource, allowed, error);
    if (!failures.has(failure.field)) failures.set(failure.field, failure);
    if (failures.size === RECORD_FAILURES_MAX) break;
  }
  return { ok: false, failures: [...failures.values()] };
}

function checkerOf(resource: Resource, mode: WriteMode): Checker {
  const name = `${mode} ${resource.name}`;
  const known = checkers.get(name);
  if (known !== undefined) return known;
  const fields = Object.entries(writableFields(resource, mode));
  const checker: Checker = {
    validate: ajv.compile({
      type: 'object',
      properties: Object.fromEntries(fields.map(([field, contract]) => [field, storableSchema(contract)])),
      required: requiredFields(resource, mode),
      additionalProperties: false,
    }),
    allowed: fields.map(([field]) => field).join(', '),
  };
  checkers.set(name, checker);
  return checker;
}

/** The schema of a field for a writer: text must also be text that can be stored, and an address must be one. */
const storableSchema = (field: Field): JsonSchema =>
  field.kind === 'integer' || field.kind === 'choice'
    ? writtenSchemaOf(field)
    : { ...writtenSchemaOf(field), storable: 'rule' in field ? field.rule : true };

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
  if (instancePath === '/id') return { field: instancePath, reason: `must be an id: ${NEW_ID_ALLOWED}` };
  const field = resource.fields[instancePath.slice(1)] ?? createdAt;
  return { field: instancePath, reason: `must be ${allowedOf(field)}` };
}

const NAME_MAX_CHARACTERS = 64;

/** The JSON pointer (RFC 6901) of a field that a client has named. A long name is cut. */
export const pointerTo = (name: string): string =>
  `/${name.slice(0, NAME_MAX_CHARACTERS).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`;

function unknownField(resource: Resource, allowed: string, name: string): FieldFailure {
  const field = pointerTo(name);
  if (Object.hasOwn(resource.fields, name)) return { field, reason: 'is set by the service' };
  return { field, reason: `is not a field here; allowed: ${allowed}` };
}

/** The values that a field allows, for people: `an integer from 0 to 100`. */
const allowedOf = (field: Field): string =>
  field.nullable === true ? `${allowedWithoutNull(field)}, or null` : allowedWithoutNull(field);

function allowedWithoutNull(field: Field): string {
  switch (field.kind) {
    case 'id':
      return `an id: ${ID_ALLOWED}`;
    case 'time':
      return TIME_ALLOWED;
    case 'integer':
      return `an integer from ${field.min} to ${field.max}`;
    case 'choice':
      return `one of ${field.values.join(', ')}`;
    case 'text':
      if (field.rule === 'url') return `${TEXT_RULES.url.allowed}, of at most ${field.max} characters`;
      if (field.rule === 'domain') return TEXT_RULES.domain.allowed;
      return `text of ${field.min ?? 1} to ${field.max} characters, without U+0000${field.rule === 'notBlank' ? ' and not blank' : ''}`;
    default:
      throw new TypeError(`A writer cannot give ${field.kind}.`);
  }
}
