import { type TSchema, Type } from 'typebox';
import { ID_MAX_CHARACTERS } from '../config/limits.ts';

/** How a field's value is written in PostgreSQL, CSV and JSON. */
type FieldKind = 'text' | 'integer' | 'time';

/**
 * One field of a resource: its wire type T, from which its schema, its column and its rules for writing follow.
 * The column is the field's name in snake case.
 */
export interface Field<T> {
  readonly kind: FieldKind;
  /** JSON Schema of a value on the wire. */
  readonly schema: TSchema;
  readonly nullable: boolean;
  /** `client`: a writer gives it. `server`: the service sets it, an import may bring it. */
  readonly from: 'client' | 'server';
  /** What a writer who leaves the field out gets; absent: the field is required. */
  readonly fallback?: T;
  /** Whether values are added within a version: a client must take one that it does not know. Default false. */
  readonly open?: boolean;
  /** A value as a list would show it; also the documentation's example. */
  readonly example: T;
}

interface Common<T> {
  readonly description: string;
  readonly example: NoInfer<T>;
  readonly from?: 'client' | 'server';
  readonly fallback?: NoInfer<T>;
}

const schemaOf = <T>(schema: TSchema, { description, example }: Common<T>): TSchema => ({
  ...schema,
  description,
  examples: [example],
});

const rest = <T>({ from = 'client', example, ...options }: Common<T>) =>
  options.fallback === undefined ? { from, example } : { from, example, fallback: options.fallback };

/**
 * What an id may be; ids that the service gives are TypeIDs, a writer may bring its own. `count` is the path of a count,
 * `/v1/audits/count`, and could never be read as a record.
 */
export const ID_PATTERN = `^(?!count$)[A-Za-z0-9_-]{1,${ID_MAX_CHARACTERS}}$`;
const ID_SHAPE = new RegExp(ID_PATTERN);
export const isId = (text: string): boolean => ID_SHAPE.test(text);
export const ID_ALLOWED = `1 to ${ID_MAX_CHARACTERS} of A-Z a-z 0-9 _ -, not the word count`;

/** An identifier, of the record itself or of another one. */
export const id = (options: Common<string>): Field<string> => ({
  kind: 'text',
  nullable: false,
  schema: schemaOf(Type.String({ pattern: ID_PATTERN }), options),
  ...rest(options),
});

/** Text of 1 to `max` characters. */
export const text = (
  options: Common<string> & { readonly max: number; readonly min?: number; readonly format?: string },
): Field<string> => ({
  kind: 'text',
  nullable: false,
  schema: schemaOf(
    Type.String({
      minLength: options.min ?? 1,
      maxLength: options.max,
      ...(options.format === undefined ? {} : { format: options.format }),
    }),
    options,
  ),
  ...rest(options),
});

export const integer = (
  options: Common<number> & { readonly min: number; readonly max: number },
): Field<number> => ({
  kind: 'integer',
  nullable: false,
  schema: schemaOf(Type.Integer({ minimum: options.min, maximum: options.max }), options),
  ...rest(options),
});

/** The same field, whose values may become more within a version. */
export const open = <T>(field: Field<T>): Field<T> => ({ ...field, open: true });

/** A point in time, ISO 8601; UTC on the wire. */
export const time = (options: Common<string>): Field<string> => ({
  kind: 'time',
  nullable: false,
  schema: schemaOf(Type.String({ format: 'date-time' }), options),
  ...rest(options),
});

/** One of a closed set of texts. */
export const choice = <const V extends string>(values: readonly V[], options: Common<V>): Field<V> => ({
  kind: 'text',
  nullable: false,
  schema: schemaOf(Type.Enum([...values]), options),
  ...rest(options),
});

/** Texts in an order that means nothing. Only in what the service writes itself. */
export const texts = (options: Common<readonly string[]>): Field<readonly string[]> => ({
  kind: 'text',
  nullable: false,
  schema: schemaOf(Type.Array(Type.String()), options),
  ...rest(options),
});

/** A value with parts. Only in what the service writes itself. */
export const json = <T>(schema: TSchema, options: Common<T>): Field<T> => ({
  kind: 'text',
  nullable: false,
  schema: schemaOf(schema, options),
  ...rest(options),
});

/** The same field, or null; a writer may leave it out. */
export const nullable = <T>(field: Field<T>): Field<T | null> => ({
  ...field,
  nullable: true,
  fallback: null,
  schema: Type.Union([field.schema, Type.Null()]),
});

/** A field that some records do not have at all. */
export const optional = <T>(field: Field<T>): Field<T | undefined> => ({
  ...field,
  schema: Type.Optional(field.schema),
});

export const createdAt: Field<string> = time({
  description: 'When the service took the record. Strictly rising within a workspace.',
  example: '2026-03-01T09:30:00.123456Z',
  from: 'server',
});

export const companyId: Field<string> = id({
  description: 'Identifier of the company that the record belongs to.',
  example: 'com_01jq4d0e6tf3s9v2m8k5x7h1ab',
});

/** `headlineScore` → `headline_score`. */
export const columnName = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
