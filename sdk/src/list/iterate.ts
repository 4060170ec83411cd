import { SvcCursorExpiredError, SvcPositionLostError } from '../errors.ts';
import type { Signal } from '../signal.ts';
import { ANCHOR_IDS_MAX, type Anchor, type Listed, type Order } from './order.ts';
import { type Direction, inDirection, type Page, type ReadPage } from './page.ts';

/** Tells that a walk's or a tail's cursor expired, and that it is looking for its place from the list's end again. */
export interface RestartEvent {
  /** Name of the list, such as `audits`. */
  readonly list: string;
  readonly error: SvcCursorExpiredError;
}

export interface Iteration<T> {
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
const RESTARTS_WITHOUT_PROGRESS_MAX = 3;

/**
 * Every page of a list in the direction of travel. When a cursor expires on the way, the walk starts over and leaves
 * out what it has given, by position: nothing is repeated and nothing is skipped, however many records were added or
 * removed meanwhile. It remembers the last {@link ANCHOR_IDS_MAX} items, no more.
 */
export async function* iteratePages<T extends Listed>(
  iteration: Iteration<T>,
): AsyncGenerator<Page<T>, void, undefined> {
  const { order, direction, limit, signal } = iteration;
  let { cursor } = iteration;
  let recent: readonly T[] = [];
  let search: AnchorSearch | undefined;
  for (let attemptsWithoutProgress = 0; ; ) {
    let page: Page<T>;
    try {
      page = await iteration.read({ cursor, direction, limit, signal });
    } catch (error) {
      const anchor = order.anchorAfter(recent);
      if (!(error instanceof SvcCursorExpiredError) || anchor === undefined) throw error;
      if (attemptsWithoutProgress === RESTARTS_WITHOUT_PROGRESS_MAX) throw error;
      attemptsWithoutProgress += 1;
      iteration.onRestart?.({ list: iteration.list, error });
      [cursor, search] = [null, new AnchorSearch(order, anchor)];
      continue;
    }
    const items = inDirection(page, direction);
    const yielded = search?.countYielded(items) ?? 0;
    const remaining = yielded === 0 ? items : items.slice(yielded);
    if (remaining.length > 0) {
      [attemptsWithoutProgress, search] = [0, undefined];
      recent =
        remaining.length < ANCHOR_IDS_MAX ? [...recent, ...remaining].slice(-ANCHOR_IDS_MAX) : remaining;
    }
    if (yielded === 0) yield page;
    else if (remaining.length > 0)
      yield { ...page, data: direction === 'forward' ? remaining : remaining.toReversed() };
    cursor = page.pagination.nextCursor;
    if (cursor !== null) continue;
    if (search?.found === false) throw positionLost(iteration.list);
    return;
  }
}

export const positionLost = (list: string): SvcPositionLostError =>
  new SvcPositionLostError(
    `The cursor of this iteration over ${list} expired, and the last ${ANCHOR_IDS_MAX} records that it gave are gone: its place cannot be found again.`,
  );

/** Looks for a place in the pages of a walk that has started over. */
class AnchorSearch {
  /** Whether any page has told where the place is. */
  found = false;
  readonly #order: Order;
  readonly #anchor: Anchor;

  constructor(order: Order, anchor: Anchor) {
    this.#order = order;
    this.#anchor = anchor;
  }

  /** How many items of the next page were given before. */
  countYielded(items: readonly Listed[]): number {
    const yielded = this.#order.countYielded(items, this.#anchor);
    if (yielded !== undefined) this.found = true;
    return yielded ?? (this.found ? 0 : items.length);
  }
}
