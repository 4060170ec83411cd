import { SvcCursorExpiredError, SvcPositionLostError } from '../errors.ts';
import type { Signal } from '../signal.ts';
import { type Listed, type Order, PLACE_IDS_MAX, type Place } from './order.ts';
import { type Direction, inOrderOfTravel, type Page, type ReadPage } from './page.ts';

/** Tells that a walk's or a tail's cursor expired, and that it is looking for its place from the list's end again. */
export interface RestartEvent {
  /** Name of the list, such as `audits`. */
  readonly list: string;
  readonly error: SvcCursorExpiredError;
}

export interface Walk<T> {
  readonly read: ReadPage<T>;
  readonly list: string;
  readonly order: Order;
  readonly direction: Direction;
  readonly cursor: string | null;
  readonly limit: number | undefined;
  readonly onRestart: ((event: RestartEvent) => void) | undefined;
  readonly signal: Signal | undefined;
}

/** A restart in whose walk no item is reached before the next cursor expires: more of these do not help. */
const FRUITLESS_RESTARTS_MAX = 3;

/**
 * Every page of a list in the direction of travel. When a cursor expires on the way, the walk starts over and leaves
 * out what it has given, by position: nothing is repeated and nothing is skipped, however many records were added or
 * removed meanwhile. It remembers the last {@link PLACE_IDS_MAX} items, no more.
 */
export async function* walkPages<T extends Listed>(walk: Walk<T>): AsyncGenerator<Page<T>, void, undefined> {
  const { order, direction, limit, signal } = walk;
  let { cursor } = walk;
  let recent: readonly T[] = [];
  let search: Search | undefined;
  for (let fruitless = 0; ; ) {
    let page: Page<T>;
    try {
      page = await walk.read({ cursor, direction, limit, signal });
    } catch (error) {
      const place = order.placeAfter(recent);
      if (!(error instanceof SvcCursorExpiredError) || place === undefined) throw error;
      if (fruitless === FRUITLESS_RESTARTS_MAX) throw error;
      fruitless += 1;
      walk.onRestart?.({ list: walk.list, error });
      [cursor, search] = [null, new Search(order, place)];
      continue;
    }
    const items = inOrderOfTravel(page, direction);
    const given = search?.given(items) ?? 0;
    const fresh = given === 0 ? items : items.slice(given);
    if (fresh.length > 0) {
      [fruitless, search] = [0, undefined];
      recent = fresh.length < PLACE_IDS_MAX ? [...recent, ...fresh].slice(-PLACE_IDS_MAX) : fresh;
    }
    if (given === 0) yield page;
    else if (fresh.length > 0) yield { ...page, data: direction === 'forward' ? fresh : fresh.toReversed() };
    cursor = page.pagination.nextCursor;
    if (cursor !== null) continue;
    if (search?.found === false) throw lost(walk.list);
    return;
  }
}

export const lost = (list: string): SvcPositionLostError =>
  new SvcPositionLostError(
    `The cursor of this iteration over ${list} expired, and the last ${PLACE_IDS_MAX} records that it gave are gone: its place cannot be found again.`,
  );

/** Looks for a place in the pages of a walk that has started over. */
class Search {
  /** Whether any page has told where the place is. */
  found = false;
  readonly #order: Order;
  readonly #place: Place;

  constructor(order: Order, place: Place) {
    this.#order = order;
    this.#place = place;
  }

  /** How many items of the next page were given before. */
  given(items: readonly Listed[]): number {
    const given = this.#order.given(items, this.#place);
    if (given !== undefined) this.found = true;
    return given ?? (this.found ? 0 : items.length);
  }
}
