import type { Direction } from '../contract/index.ts';
import { SvcCursorExpiredError, SvcPositionLostError } from '../errors.ts';
import type { Signal } from '../signal.ts';
import { ANCHOR_IDS_MAX, type Anchor, type Listed, type Order } from './order.ts';
import { inDirection, type Page, type ReadPage } from './page.ts';

/** The cursor of an iteration or a tail expired, and the client now searches the list for its position. */
export interface RestartEvent {
  /** Name of the list, such as `audits`. */
  readonly list: string;
  readonly error: SvcCursorExpiredError;
}

/** What {@link iteratePages} needs. */
export interface Iteration<T, More = unknown> {
  readonly read: ReadPage<T, More>;
  readonly list: string;
  readonly order: Order;
  readonly direction: Direction;
  readonly cursor: string | null;
  readonly limit: number | undefined;
  readonly onRestart: ((event: RestartEvent) => void) | undefined;
  readonly signal: Signal | undefined;
}

/** After this many restarts in a row that yield no item before their cursor expires, the iteration fails. */
const RESTARTS_WITHOUT_PROGRESS_MAX = 3;

/**
 * Yields every page of a list in one direction. If its cursor expires, the iteration restarts at the beginning and
 * skips the items up to its anchor. So no item is repeated or skipped, even if records were added or deleted in the
 * meantime. It remembers at most the last {@link ANCHOR_IDS_MAX} items.
 *
 * Throws `SvcPositionLostError` if the anchor cannot be found, and the error of the cursor if too many restarts in a
 * row make no progress.
 */
export async function* iteratePages<T extends Listed, More>(
  iteration: Iteration<T, More>,
): AsyncGenerator<Page<T, More>, void, undefined> {
  const { order, direction, limit, signal } = iteration;
  let { cursor } = iteration;
  let recent: readonly T[] = [];
  let search: AnchorSearch | undefined;
  for (let attemptsWithoutProgress = 0; ; ) {
    let page: Page<T, More>;
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

/** The error of an iteration or a tail whose anchor cannot be found. */
export const positionLost = (list: string): SvcPositionLostError =>
  new SvcPositionLostError(
    `The cursor of this iteration over ${list} expired, and its position cannot be found again: the last ${ANCHOR_IDS_MAX} records that it yielded were deleted.`,
  );

/** Finds the anchor in the pages of a restarted iteration. */
class AnchorSearch {
  /** Whether a page has shown where the anchor is. */
  found = false;
  readonly #order: Order;
  readonly #anchor: Anchor;

  constructor(order: Order, anchor: Anchor) {
    this.#order = order;
    this.#anchor = anchor;
  }

  /** How many items of the next page were yielded before the restart. */
  countYielded(items: readonly Listed[]): number {
    const yielded = this.#order.countYielded(items, this.#anchor);
    if (yielded !== undefined) this.found = true;
    return yielded ?? (this.found ? 0 : items.length);
  }
}
