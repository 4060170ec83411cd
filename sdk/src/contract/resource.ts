import type { Field, Fields, IdField } from './field.ts';

/** What a key with write access can do. The records of a resource with only `create` never change. */
export type Writes = readonly ['create'] | readonly ['create', 'update', 'delete'];

/** The states of a record. Only the listed changes of state are allowed. */
export interface Transitions<FieldName extends string = string> {
  readonly field: FieldName;
  /** For each state, the states that it can change to. */
  readonly moves: Readonly<Record<string, readonly string[]>>;
  /** For a state, the time field that is set when a record enters it. A time that is already set is kept. */
  readonly stamps: Readonly<Record<string, FieldName>>;
}

/** A resource of the API. */
export interface ResourceContract<FieldName extends string = string> {
  /** Last segment of the path, plural: `api-keys`. */
  readonly name: string;
  /** For people: `API key`. */
  readonly singular: string;
  /** For people: `API keys`. */
  readonly plural: string;
  /**
   * Name of the type of its records.
   * @default the singular in Pascal case: `ApiKey`
   */
  readonly type?: string;
  readonly description: string;
  /** Prefix of the ids that the service creates. */
  readonly idPrefix: string;
  /** Every field, in the order of the JSON. */
  readonly fields: Fields & { readonly id: IdField };
  /** The field with the company of a record. Null: a key that is limited to a company cannot read the list. */
  readonly company: FieldName | null;
  /**
   * Sorts in addition to `created`, each with its field.
   * @default the list has no parameter `sort`
   */
  readonly sorts?: Readonly<Record<string, FieldName>>;
  /** Query parameters of the list. An item is listed if its field of this name equals the parameter. */
  readonly filters: Fields;
  /**
   * The sets of filters that an index serves together, by the name of the sort. Of other filters, the list reads the rows
   * that the largest of these sets selects, a bounded number per page, and compares them one by one.
   * @default each set of filters, with each sort
   */
  readonly indexes?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /**
   * Values that the indexes of a filter leave out, by filter. They are compared row by row, like other filters.
   * @default none
   */
  readonly unindexed?: Readonly<Record<string, string>>;
  /**
   * The texts that the parameter `q` searches, in addition to the id: the title of a record, and its URL or domain.
   * @default the list cannot be searched
   */
  readonly searched?: readonly FieldName[];
  /**
   * Whether `GET {path}/count` exists.
   * @default false
   */
  readonly counted?: true;
  /**
   * Whether small lists have `pagination.total` (specification, 4.3).
   * @default false
   */
  readonly total?: true;
  /**
   * Whether the list has durable positions: the parameter `after`, and `pagination.position` in every page.
   * @default false
   */
  readonly positions?: true;
  /** @default the API, imports and the dashboard only read its records */
  readonly writes?: Writes;
  /**
   * Fields that only the service sets. An import may also set them.
   * @default none
   */
  readonly server?: readonly FieldName[];
  /**
   * Fields that a writer may leave out, in addition to `id`. They get their default, or null.
   * @default none
   */
  readonly optional?: readonly FieldName[];
  /** @default every change of a field is allowed */
  readonly transitions?: Transitions<FieldName>;
}

/** Defines a resource. The compiler refuses a sort, a company or a list of fields that names an unknown field. */
export const defineResource = <
  const F extends ResourceContract['fields'],
  const R extends ResourceContract<keyof F & string>,
>(
  resource: R & { readonly fields: F },
): R => resource;

/** A resource with everything that derives from its entry in the contract. */
export interface CompleteResource extends ResourceContract {
  readonly type: string;
  /** `/v1/api-keys`. */
  readonly path: string;
  readonly server: readonly string[];
  readonly optional: readonly string[];
  /** Whether the API, imports and the dashboard write its records. */
  readonly writable: boolean;
  /** Whether its records never change. */
  readonly immutable: boolean;
}

export const completeResource = (resource: ResourceContract): CompleteResource => ({
  server: [],
  optional: [],
  ...resource,
  type: resource.type ?? pascalCase(resource.singular),
  path: `/v1/${resource.name}`,
  writable: resource.writes !== undefined,
  immutable: resource.writes?.length === 1,
});

/** The name of the sort that every list has. The default order is newest first. */
export const CREATED = 'created';
export const ORDERS = ['descending', 'ascending'] as const;
export type Order = (typeof ORDERS)[number];

/** Where a page continues: after its cursor, or before it. */
export const DIRECTIONS = ['forward', 'before'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** All values of a list's parameter `sort`, the default first; empty if the list has no such parameter. */
export const sortsOf = ({ sorts }: Pick<ResourceContract, 'sorts'>): readonly string[] =>
  sorts === undefined
    ? []
    : [CREATED, ...Object.keys(sorts)].flatMap((name) => ORDERS.map((order) => `${name}-${order}`));

/** The company of a record. */
export const companyId = {
  kind: 'id',
  description: 'Identifier of the company that the record belongs to.',
  example: 'com_01jq4d0e6tf3s9v2m8k5x7h1ab',
} as const satisfies IdField;

/** The time at which the service created a record. */
export const createdAt = {
  kind: 'time',
  description:
    'When the service created the record. Each new record of a workspace gets a later time than all earlier ones, unless an import sets its time.',
  example: '2026-03-01T09:30:00.123456Z',
} as const satisfies Field;

/**
 * `create`: a new record, with or without an id. `patch`: the fields that change. `import`: like `create`, but also with
 * the fields that the service otherwise sets, and with `createdAt` for every resource.
 */
export type WriteMode = 'create' | 'patch' | 'import';

/** The fields that a writer may set, in the order of the contract. */
export function writableFields({ fields, server = [] }: ResourceContract, mode: WriteMode): Fields {
  const named: Fields = { ...fields, id: { ...fields.id, isNew: true } };
  if (mode === 'import') return { ...named, createdAt };
  const allowed = Object.entries(named).filter(([name]) =>
    name === 'id' ? mode === 'create' : !server.includes(name),
  );
  return Object.fromEntries(allowed);
}

/** The names of the fields that a writer must set. */
export function requiredFields(resource: ResourceContract, mode: WriteMode): readonly string[] {
  const { server = [], optional = [] } = resource;
  if (mode === 'patch') return [];
  return Object.keys(resource.fields).filter(
    (name) => name !== 'id' && !server.includes(name) && !optional.includes(name),
  );
}

/** The value of an optional field that a writer left out. */
export const defaultOf = (field: Field): string | number | null =>
  'default' in field ? (field.default ?? null) : null;

/** A name with its article: `an audit`. */
export const oneOf = ({ singular }: Pick<ResourceContract, 'singular'>): string =>
  `${/^[aeiou]/i.test(singular) ? 'an' : 'a'} ${singular}`;

/** `API key` → `ApiKey`. */
export const pascalCase = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
    .join('');

/** A text with a capital letter: `Audits`. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
