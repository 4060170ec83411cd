import { type Field, ID_ALLOWED, isId, type ResourceContract } from '@svc/sdk/contract';
import type { IdPrefix } from '../config/ids.ts';
import { type Filter, type ListDefinition, type SortColumn, textThat } from '../list/definition.ts';
import { columnName } from './field.ts';

/** A resource of the contract with what the service derives from it. */
export interface Resource extends ResourceContract {
  readonly type: string;
  readonly idPrefix: IdPrefix;
  readonly path: string;
  /** Fields that only the service sets. */
  readonly server: readonly string[];
  /** Fields that a writer may leave out. */
  readonly optional: readonly string[];
  /** Whether the API, imports and the dashboard write its records. */
  readonly writable: boolean;
  /** Whether its records never change. */
  readonly immutable: boolean;
  readonly list: ListDefinition;
}

const CREATED: SortColumn = { column: 'created_at', type: 'timestamptz' };

/** Completes a resource of the contract. `relation` is the table or view that lists read. Default: its name. */
export function resourceOf(
  contract: ResourceContract & { readonly idPrefix: IdPrefix },
  relation: string = contract.name,
): Resource {
  const { name, singular, type, company, fields, sorts, filters, total, writes } = contract;
  const sortColumn = (field: string): SortColumn => ({
    column: columnName(field),
    type: fields[field]?.kind === 'time' ? 'timestamptz' : 'smallint',
  });
  return Object.freeze({
    server: [],
    optional: [],
    ...contract,
    type: type ?? pascalCase(singular),
    path: `/v1/${name}`,
    writable: writes !== undefined,
    immutable: writes?.length === 1,
    list: {
      name,
      relation,
      companyColumn: company === null ? null : columnName(company),
      sorts: { created: CREATED, ...mapped(sorts ?? {}, sortColumn) },
      sortable: sorts !== undefined,
      filters: mapped(filters, equalityFilter),
      total: total === true,
    },
  });
}

const mapped = <A, B>(
  values: Readonly<Record<string, A>>,
  map: (value: A, name: string) => B,
): Readonly<Record<string, B>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));

/** `API key` → `ApiKey`. */
export const pascalCase = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
    .join('');

function equalityFilter(field: Field, name: string): Filter {
  const column = columnName(name);
  if (field.kind !== 'choice') return { column, parse: textThat(isId), allowed: `an id: ${ID_ALLOWED}` };
  const { values } = field;
  const parse = textThat((text) => values.includes(text));
  return { column, parse, allowed: `one of ${values.join(', ')}` };
}
