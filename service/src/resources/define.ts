import type { TSchema } from 'typebox';
import type { IdPrefix } from '../config/ids.ts';
import { type Filter, type ListDefinition, type SortColumn, textThat } from '../list/definition.ts';
import { columnName, type Field, ID_ALLOWED, isId } from './field.ts';

/** The definition of one resource. The compiler refuses a missing field, a field of another type and an unknown sort. */
export interface ResourceDefinition<Wire extends { readonly id: string }> {
  /** Path segment and name, plural: `audits`. */
  readonly name: string;
  readonly singular: string;
  /** Name of the wire type. Default: the singular in Pascal case, such as `AuditLogEntry`. */
  readonly type?: string;
  readonly description: string;
  /** Prefix of the ids that the service generates. */
  readonly idPrefix: IdPrefix;
  /** Every field of the wire type, in the order of the JSON. */
  readonly fields: { readonly [K in keyof Required<Wire>]: Field<Wire[K]> };
  /** The field that holds the company of a record. Null: keys that are limited to a company cannot read the list. */
  readonly company: (keyof Wire & string) | null;
  /** Sorts in addition to `created`, by their name in `sort`. Default: the list has no parameter `sort`. */
  readonly sorts?: Readonly<Record<string, keyof Wire & string>>;
  /** Equality filters. Each is a query parameter for the column of the same name. */
  readonly filters?: Readonly<Record<string, Field<string>>>;
  /** Whether small lists have `pagination.total` (specification, 4.3). Default: false. */
  readonly total?: boolean;
  /** The table or view that is read. Default: the name of the resource. */
  readonly relation?: string;
  /** Whether the API, the import and the dashboard write its records. Default: true. False for keys and the audit log. */
  readonly writable?: boolean;
  /** Whether records cannot be changed or deleted through the API. Default: false. */
  readonly immutable?: boolean;
  readonly transitions?: Transitions<keyof Wire & string>;
}

/** The states of a record. Only the declared changes of state are allowed. */
interface Transitions<FieldName extends string = string> {
  readonly field: FieldName;
  /** For each state, the states that it may change to. */
  readonly moves: Readonly<Record<string, readonly string[]>>;
  /** For a state, the time field that is set when a record enters it. A value that the field has already stays. */
  readonly stamps: Readonly<Record<string, FieldName>>;
}

/** A resource for the rest of the service. Routes, validation, OpenAPI, import and tests derive from it. */
export interface Resource {
  readonly name: string;
  readonly singular: string;
  readonly type: string;
  readonly description: string;
  readonly idPrefix: IdPrefix;
  readonly path: string;
  readonly fields: Readonly<Record<string, Field<unknown>>>;
  readonly filters: Readonly<Record<string, Field<string>>>;
  readonly company: string | null;
  readonly writable: boolean;
  readonly immutable: boolean;
  readonly transitions: Transitions | undefined;
  readonly list: ListDefinition;
}

const CREATED: SortColumn = { column: 'created_at', type: 'timestamptz' };

/** Defines a resource of the wire type: `defineResource<Audit>()({ … })`. */
export const defineResource =
  <Wire extends { readonly id: string }>() =>
  (definition: ResourceDefinition<Wire>): Resource => {
    const { name, company, filters = {} } = definition;
    const fields: Readonly<Record<string, Field<unknown>>> = definition.fields;
    const sorts: Record<string, SortColumn> = { created: CREATED };
    for (const [sort, field] of Object.entries(definition.sorts ?? {})) {
      sorts[sort] = {
        column: columnName(field),
        type: fields[field]?.kind === 'time' ? 'timestamptz' : 'smallint',
      };
    }
    return Object.freeze({
      name,
      singular: definition.singular,
      type: definition.type ?? pascalCase(definition.singular),
      description: definition.description,
      idPrefix: definition.idPrefix,
      path: `/v1/${name}`,
      fields,
      filters,
      company,
      writable: definition.writable ?? true,
      immutable: definition.immutable ?? false,
      transitions: definition.transitions,
      list: {
        name,
        relation: definition.relation ?? name,
        companyColumn: company === null ? null : columnName(company),
        sorts,
        sortable: definition.sorts !== undefined,
        filters: Object.fromEntries(
          Object.entries(filters).map(([filter, field]) => [filter, equalityFilter(filter, field.schema)]),
        ),
        total: definition.total ?? false,
      },
    });
  };

/** `API key` → `ApiKey`. */
export const pascalCase = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
    .join('');

function equalityFilter(name: string, schema: TSchema): Filter {
  const column = columnName(name);
  if ('enum' in schema && Array.isArray(schema.enum)) {
    const values: readonly unknown[] = schema.enum;
    const parse = textThat((text) => values.includes(text));
    return { column, parse, allowed: `one of ${values.join(', ')}` };
  }
  return { column, parse: textThat(isId), allowed: `an id: ${ID_ALLOWED}` };
}
