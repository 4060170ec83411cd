import { CREATED } from '../contract/index.ts';
import type { Resource } from '../resource.ts';

/** How many ids an anchor keeps if the records do not contain the sort key. */
export const ANCHOR_IDS_MAX = 16;

type Key = string | number;

/** A record of a list. Other fields are read by name: one of them may be the sort key. */
export type Listed = { readonly id: string };

/**
 * Identifies the last yielded item, so that an iteration can find its position again without a cursor.
 *
 * If the sort key is a field of the record, the anchor is the sort key and id of that item, and the item itself may
 * be deleted. Otherwise (audits by creation) the anchor is the ids of the last items, of which at least one must
 * still exist.
 */
export interface Anchor {
  readonly key?: Key;
  /** In the order in which the items were yielded. */
  readonly ids: readonly string[];
}

/** The order of an iteration: the sort of the list, in one direction. */
export interface Order {
  /** The anchor at the last of these yielded items; undefined if there are none. */
  anchorAfter(items: readonly Listed[]): Anchor | undefined;
  /**
   * How many items of a page were yielded already: those up to the anchor. The items are in the order of the
   * iteration. Undefined if the page does not show where the anchor is. `yielded`: how many first items had been yielded
   * when the page was read before.
   */
  countYielded(items: readonly Listed[], anchor: Anchor, yielded?: number): number | undefined;
}

/**
 * The order of an iteration over a list in this direction. `fields`: the names of the fields that the records have, with a
 * comma between them. Default: all.
 */
export function orderOf(
  resource: Resource,
  sort: string,
  direction: 'forward' | 'before',
  fields = Object.keys(resource.fields).join(),
): Order {
  const [name = CREATED, order = 'descending'] = sort === '' ? [] : sort.split('-');
  const field = name === CREATED ? 'createdAt' : resource.sorts?.[name];
  if (field === undefined || !(field in resource.fields) || !fields.split(',').includes(field))
    return orderByIds;
  return orderByKey(field, (order === 'ascending') === (direction === 'forward'));
}

const lastIds = (items: readonly Listed[]): readonly string[] =>
  items.slice(-ANCHOR_IDS_MAX).map(({ id }) => id);

const orderByIds: Order = {
  anchorAfter: (items) => (items.length === 0 ? undefined : { ids: lastIds(items) }),
  countYielded(items, { ids }, yielded = items.length) {
    const isYielded = ({ id }: Listed): boolean => ids.includes(id);
    // An import of older records moves yielded records to a later place of the page. Those count up to the first record that
    // was not yielded: a yielded record that was deleted and created again comes after records that were not.
    const within = items.slice(0, yielded).findLastIndex(isYielded);
    const last = within < 0 ? items.findIndex(isYielded) : within;
    if (last < 0) return undefined;
    const next = items.findIndex((item, index) => index > last && !isYielded(item));
    return next < 0 ? items.length : next;
  },
};

/**
 * Compares ids as the service does, by bytes. For the characters of an id, JavaScript's comparison of strings is the
 * same.
 */
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

/**
 * The sort key of an item. Times in the JSON have 0, 3 or 6 fractional digits; padded to six, they sort correctly as
 * strings.
 */
function keyOf(item: Listed, field: string): Key {
  const value = (item as Readonly<Record<string, unknown>>)[field];
  if (typeof value === 'number') return value;
  const text = String(value);
  const fraction = text.slice(SECONDS_LENGTH).replace(/\D/g, '').padEnd(FRACTION_DIGITS, '0');
  return `${text.slice(0, SECONDS_LENGTH)}.${fraction}`;
}
