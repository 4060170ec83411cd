import { CREATED, type Resource } from '../resource.ts';

/** Ids that a place keeps of a list whose sort key is not on the wire. */
export const ANCHOR_IDS_MAX = 16;

type Key = string | number;

/** A record as this folder sees it: an id, and fields of which one may be the sort key. */
export type Listed = { readonly id: string };

/**
 * Where a walk stands, found again without a cursor: at the last item that was given. When the list's sort key is a
 * field of the record, by key and id, whether or not that item is still there. When it is not (audits by creation),
 * by the last ids: one of them must be there still.
 */
export interface Anchor {
  readonly key?: Key;
  /** In the order in which they were given. */
  readonly ids: readonly string[];
}

/** The order in which items are met: a list's sort in a direction of travel. */
export interface Order {
  /** The place after these items, which were given in this order; undefined when there are none. */
  anchorAfter(items: readonly Listed[]): Anchor | undefined;
  /**
   * How many items of a page, in the order of travel, lie at or ahead of the place; undefined when the page does not
   * tell. `within`: only so many items can.
   */
  countYielded(items: readonly Listed[], anchor: Anchor, within?: number): number | undefined;
}

/** The order of a list that is walked forward, or `before`: towards its head. */
export function orderOf(resource: Resource, sort: string, direction: 'forward' | 'before'): Order {
  const [name = CREATED, order = 'descending'] = sort === '' ? [] : sort.split('-');
  const field = name === CREATED ? 'createdAt' : resource.sorts?.[name];
  if (field === undefined || !(field in resource.fields)) return orderByIds;
  return orderByKey(field, (order === 'ascending') === (direction === 'forward'));
}

const lastIds = (items: readonly Listed[]): readonly string[] =>
  items.slice(-ANCHOR_IDS_MAX).map(({ id }) => id);

const orderByIds: Order = {
  anchorAfter: (items) => (items.length === 0 ? undefined : { ids: lastIds(items) }),
  countYielded(items, { ids }, within = items.length) {
    const index = items.slice(0, within).findLastIndex(({ id }) => ids.includes(id));
    return index < 0 ? undefined : index + 1;
  },
};

/** Ids are compared as the service's are: by their bytes, which for the characters of an id are their UTF-16 units. */
function orderByKey(field: string, ascending: boolean): Order {
  const isYielded = (item: Listed, key: Key, id: string): boolean => {
    const itemKey = keyOf(item, field);
    if (itemKey !== key) return itemKey < key === ascending;
    return item.id === id || item.id < id === ascending;
  };
  return {
    anchorAfter(items) {
      const last = items.at(-1);
      return last === undefined ? undefined : { key: keyOf(last, field), ids: [last.id] };
    },
    countYielded(items, { key = '', ids: [id = ''] }) {
      const index = items.findIndex((item) => !isYielded(item, key, id));
      return index < 0 ? items.length : index;
    },
  };
}

const SECONDS_LENGTH = '2026-03-01T09:30:00'.length;
const FRACTION_DIGITS = 6;

/** Times have 0, 3 or 6 fractional digits on the wire; with six each, their text sorts as they do. */
function keyOf(item: Listed, field: string): Key {
  const value = (item as Readonly<Record<string, unknown>>)[field];
  if (typeof value === 'number') return value;
  const text = String(value);
  const fraction = text.slice(SECONDS_LENGTH).replace(/\D/g, '').padEnd(FRACTION_DIGITS, '0');
  return `${text.slice(0, SECONDS_LENGTH)}.${fraction}`;
}
