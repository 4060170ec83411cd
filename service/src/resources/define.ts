import {
  type CompleteResource,
  completeResource,
  type Field,
  ID_ALLOWED,
  isId,
  type ResourceContract,
} from '@svc/sdk/contract';
import type { IdPrefix } from '../config/ids.ts';
import { type Filter, type ListDefinition, type SortColumn, textThat } from '../list/definition.ts';

/** A resource of the contract with what the service derives from it. */
export interface Resource extends CompleteResource {
  readonly idPrefix: IdPrefix;
  readonly list: ListDefinition;
}

const CREATED: SortColumn = { column: 'created_at', type: 'timestamptz' };

/** Tables with short keys instead of ids in their indexes. */
const SHORT_KEYS: readonly string[] = ['audits'];

/** What a list reads instead of the table with the resource's name, and its indexed columns. */
export type ListView = Pick<ListDefinition, 'relation' | 'indexed' | 'read'>;

/** Completes a resource of the contract. `view`: default is the table with the resource's name, all filters indexed. */
export function resourceOf(
  contract: ResourceContract & { readonly idPrefix: IdPrefix },
  view?: ListView,
): Resource {
  const { name, company, fields, sorts, filters, total } = contract;
  const companyColumn = company === null ? null : columnName(company);
  const filtered = new Set([
    ...(companyColumn === null ? [] : [companyColumn]),
    ...Object.keys(filters).map(columnName),
  ]);
  const sortColumn = (field: string): SortColumn => ({
    column: columnName(field),
    type: fields[field]?.kind === 'time' ? 'timestamptz' : 'smallint',
  });
  return Object.freeze({
    ...completeResource(contract),
    idPrefix: contract.idPrefix,
    list: {
      name,
      relation: view?.relation ?? name,
      companyColumn,
      indexed: view?.indexed ?? [...filtered],
      shortKeys: SHORT_KEYS.includes(name),
      sorts: { created: CREATED, ...mapped(sorts ?? {}, sortColumn) },
      sortable: sorts !== undefined,
      filters: mapped(filters, equalityFilter),
      total: total === true,
      ...(view?.read === undefined ? {} : { read: view.read }),
      ...(contract.positions === true ? { parameters: ['after', 'wait'] } : {}),
    },
  });
}

const mapped = <A, B>(
  values: Readonly<Record<string, A>>,
  map: (value: A, name: string) => B,
): Readonly<Record<string, B>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));

function equalityFilter(field: Field, name: string): Filter {
  const column = columnName(name);
  if (field.kind !== 'choice') return { column, parse: textThat(isId), allowed: `an id: ${ID_ALLOWED}` };
  const { values } = field;
  const parse = textThat((text) => values.includes(text));
  return { column, parse, allowed: `one of ${values.join(', ')}` };
}

/** `headlineScore` → `headline_score`. */
export const columnName = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
