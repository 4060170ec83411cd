import { type Micros, microsOfTime } from '@svc/exact-times/micros';
import type { Queryable } from '@svc/turns/lane';
import { DOC_SEPARATOR, type KeysetRead, type KeysetRow } from '../list/definition.ts';
import { changeIdOf, placeOf, timeOfChange } from './id.ts';
import { type ScannedChanges, scanChanges } from './scan.ts';

/** Checks that the feed can be read from a place towards newer changes. Throws if it cannot. */
type Check = (feed: Pick<ScannedChanges, 'newest' | 'completeAfter'> & { readonly from: Micros }) => void;

/** Reads a page of the list of changes. A row of the feed has many items, so this list has its own statement. */
export async function readChangePage(
  connections: Queryable,
  read: KeysetRead,
  check?: Check,
): Promise<KeysetRow> {
  const { workspaceId, sort, direction, position, limit, compared = [] } = read;
  const ascending = (sort.order === 'ascending') === (direction === 'forward');
  const from = position && microsOfTime(position.key);
  // When the read crosses the change next to the gap, it includes this change.
  const inclusive = (position?.side === 'before') === (direction === 'forward');
  const filter = new Map(compared.map(({ column, value }) => [column, value]));
  const type = filter.get('type');
  const scanned = await scanChanges(connections, {
    workspaceId,
    ascending,
    start: from === undefined ? undefined : { at: from, inclusive },
    limit: limit + 1,
    resource: filter.get('resource'),
    types: type === undefined ? undefined : [type],
    companyId: filter.get('company_id'),
  });
  if (ascending && from !== undefined) check?.({ ...scanned, from });
  const { items, began, searchedTo, stopped } = scanned;
  const [first_key, first_id] = placeOf(workspaceId, items[0]?.at);
  const [last_key, last_id] = placeOf(workspaceId, items[Math.min(items.length, limit) - 1]?.at);
  const isSearch = filter.size > 0 || stopped;
  const [searched_key, searched_id] = placeOf(workspaceId, isSearch ? searchedTo : undefined);
  const [began_key, began_id] = placeOf(workspaceId, isSearch ? began : undefined);
  const docs = items.length === 0 ? null : items.map(({ json }) => json).join(DOC_SEPARATOR);
  const ends = { first_key, first_id, last_key, last_id, searched_key, searched_id, began_key, began_id };
  const reached = ascending ? endOf(scanned, limit, from) : (items[0]?.at ?? from);
  const newest = !ascending && from === undefined ? scanned.newest : (reached ?? scanned.newest);
  return {
    docs,
    rows: items.length,
    ...ends,
    total: null,
    stopped,
    position: changeIdOf(workspaceId, newest),
  };
}

/** Up to where an ascending page has every wanted change. Undefined: nothing was read. */
export const endOf = (
  { items, searchedTo }: ScannedChanges,
  limit: number,
  from: Micros | undefined,
): Micros | undefined => (items.length > limit ? items[limit - 1]?.at : (searchedTo ?? from));

/** The JSON of a change. Undefined: there is none with this id, or it is of another company than `companyId`. */
export async function readChange(
  connections: Queryable,
  workspaceId: string,
  companyId: string | null,
  id: string,
): Promise<string | undefined> {
  const at = timeOfChange(workspaceId, id);
  if (at === undefined) return undefined;
  const start = { at, inclusive: true };
  const { items } = await scanChanges(connections, {
    workspaceId,
    ascending: true,
    start,
    limit: 1,
    searched: 1,
    ...(companyId === null ? {} : { companyId }),
  });
  return items.find((item) => item.at === at)?.json;
}
