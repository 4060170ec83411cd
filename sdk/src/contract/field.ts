import type { AuditLogChange, AuditLogValue } from './audit-log-kinds.ts';

interface Common<Value> {
  /** For people, and for the OpenAPI document. */
  readonly description: string;
  /** A value as a list shows it. */
  readonly example: Value;
  /**
   * Whether the value can be null.
   * @default false
   */
  readonly nullable?: true;
  /**
   * Whether some records lack the field.
   * @default false
   */
  readonly mayBeAbsent?: true;
}

/** An identifier of a record. */
export interface IdField extends Common<string> {
  readonly kind: 'id';
  /**
   * Whether it is the id of a record that is created, which must not be a word of a path.
   * @default false
   */
  readonly isNew?: true;
}

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/** A top-level domain begins with a letter, so an IPv4 address is no domain name. */
const TOP_LABEL = '[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';

/** Rules for the text of a field: a pattern (ECMA 262, with the flag u), and the same for people. */
export const TEXT_RULES = {
  /** A host name of at least two labels (RFC 1123), without a dot at the end. */
  domain: {
    pattern: `^(?:${LABEL}\\.){1,126}${TOP_LABEL}$`,
    allowed:
      'a domain name, such as acme.example: A-Z a-z 0-9 - and at least one dot, without scheme, port and path; other scripts as xn--…',
  },
  /** Not `format: uri` (RFC 3986), because browsers and feeds write addresses also with other letters: `/wiki/Köln`. */
  url: {
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\x00-\\x1f\\x7f-\\x9f]+$',
    allowed: 'an http or https address without spaces and control characters',
  },
  notBlank: { pattern: '\\S', allowed: 'text that is not blank' },
} as const;

export type TextRule = keyof typeof TEXT_RULES;

export interface TextField extends Common<string> {
  readonly kind: 'text';
  /**
   * The minimum number of characters.
   * @default 1
   */
  readonly min?: number;
  /** The maximum number of characters. */
  readonly max: number;
  /**
   * `uri`: a URI (RFC 3986), which has only ASCII. For addresses that writers give, see the rule `url`.
   * @default any text
   */
  readonly format?: 'uri';
  /**
   * What new text must fulfil. Text that was written before the rule stays, so the schema of a response does not have it.
   * @default none
   */
  readonly rule?: TextRule;
  /** The value if a writer leaves the field out. */
  readonly default?: string;
}

export interface IntegerField extends Common<number> {
  readonly kind: 'integer';
  readonly min: number;
  readonly max: number;
  /** The value if a writer leaves the field out. */
  readonly default?: number;
}

/** A point in time, ISO 8601. In responses, it is in UTC. */
export interface TimeField extends Common<string> {
  readonly kind: 'time';
}

/** One of a fixed set of texts. */
export interface ChoiceField extends Common<string> {
  readonly kind: 'choice';
  readonly values: readonly string[];
  /**
   * Whether values are added within a version of the API. A client must accept values that it does not know.
   * @default false
   */
  readonly open?: true;
  /** The value if a writer leaves the field out. */
  readonly default?: string;
}

/** True or false. Only the service writes it. */
export interface BooleanField extends Common<boolean> {
  readonly kind: 'boolean';
}

/** A list of ids. Only the service writes it. */
export interface IdsField extends Common<readonly string[]> {
  readonly kind: 'ids';
}

/** Values by name. Only the service writes it. */
export interface ValuesField extends Common<Readonly<Record<string, AuditLogValue>>> {
  readonly kind: 'values';
}

/** Changed values, before and after. Only the service writes it. */
export interface ChangesField extends Common<readonly AuditLogChange[]> {
  readonly kind: 'changes';
}

/** A field of a resource, or a filter of a list. */
export type Field =
  | IdField
  | TextField
  | IntegerField
  | TimeField
  | ChoiceField
  | BooleanField
  | IdsField
  | ValuesField
  | ChangesField;

export type Fields = Readonly<Record<string, Field>>;

/** The JSON types of the kinds of fields. */
interface JsonTypes {
  id: string;
  text: string;
  integer: number;
  time: string;
  choice: string;
  boolean: boolean;
  ids: readonly string[];
  values: Readonly<Record<string, AuditLogValue>>;
  changes: readonly AuditLogChange[];
}

/** The JSON type of a field. As the property of an object, because a compiler then names the type and not this alias. */
export type ValueOf<F> = {
  readonly value:
    | (F extends { readonly values: readonly (infer Value)[] }
        ? Value
        : F extends { readonly kind: infer Kind extends keyof JsonTypes }
          ? JsonTypes[Kind]
          : never)
    | (F extends { readonly nullable: true } ? null : never);
}['value'];

type NamesOfAbsent<F> = {
  [Name in keyof F]: F[Name] extends { readonly mayBeAbsent: true } ? Name : never;
}[keyof F];

type Values<F> = { readonly [Name in keyof F]: ValueOf<F[Name]> };

export type Simplify<T> = { [Name in keyof T]: T[Name] } & {};

/** The JSON type of the records of a resource: `Wire<Contract['audits']>`. */
export type Wire<R> = R extends { readonly fields: infer F }
  ? Simplify<Values<Pick<F, Exclude<keyof F, NamesOfAbsent<F>>>> & Partial<Values<Pick<F, NamesOfAbsent<F>>>>>
  : never;

/** It has no value at run time. Its type is a single value, so that a comparison with a known value excludes it. */
declare enum Newer {
  Value = 'a value that this version does not know',
}

/**
 * A kind or a type that a newer version of the service has added. At run time it is any other string. A `switch` over the
 * known values still has a default with it.
 */
export type NewerValue = Newer.Value;
