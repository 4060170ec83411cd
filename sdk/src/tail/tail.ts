import { textOf } from '../checked-options.ts';
import { SvcCursorExpiredError, SvcError } from '../errors.ts';
import { stoppable } from '../iteration.ts';
import { type Listed, type Order, PLACE_IDS_MAX, type Place } from '../list/order.ts';
import { inOrderOfTravel, PAGE_LIMIT_MAX, type Page, type ReadPage } from '../list/page.ts';
import { lost, type RestartEvent } from '../list/walk.ts';
import { checkedNumber, LONGEST_TIMER_MS } from '../number.ts';
import type { Signal } from '../signal.ts';
import { decodePosition, encodePosition } from './position.ts';

export interface TailSource<T> {
  readonly name: string;
  readonly read: ReadPage<T>;
  /** From old to new: the list, newest first, walked towards its head. */
  readonly order: Order;
  readonly signal: Signal | undefined;
  readonly onRestart: ((event: RestartEvent) => void) | undefined;
  readonly sleep: (ms: number, signal: Signal | undefined) => Promise<void>;
}

export interface TailOptions {
  /**
   * Where to begin: `start` (the default) gives every record that there is, then those that come; `now` only those that
   * come; anything else is a position that a tail had before: it goes on after the last record that was given then.
   */
  readonly after?: string | undefined;
  /** Pause between two polls that found nothing new. Default 5,000. With a live key each poll is a request that counts. */
  readonly pollMs?: number | undefined;
  /** Whether to wait for more at the head of the list; false: it ends there. Default true. */
  readonly follow?: boolean | undefined;
}

const POLL_MS = 5_000;
const FRUITLESS_SEARCHES_MAX = 3;

/**
 * The records of a list in the order in which they were created: first those that are there, then those that come.
 * None is skipped and none is given twice. {@link position} says after which record it stands; stored, it lets a later
 * tail go on there.
 *
 * ```ts
 * const tail = svc.audits.tail({ after: stored });
 * for await (const audit of tail) {
 *   await handle(audit);
 *   await store(tail.position);
 * }
 * ```
 */
export class Tail<T extends Listed> implements AsyncIterable<T> {
  readonly #source: TailSource<T>;
  readonly #options: TailOptions;
  /** The gap that the next page begins at; null: the beginning of the list. */
  #cursor: string | null = null;
  /** Of the records after that gap, how many have been given. */
  #given = 0;
  /** Found again by this, unless something of the page at hand was given. */
  #place: Place | undefined;
  /** The page at hand, old to new, from the record after the gap on. */
  #page: readonly T[] = [];
  /** The gap at the other end of that page. */
  #pageEnd: string | null = null;
  #begun = false;

  constructor(source: TailSource<T>, options: TailOptions) {
    this.#source = source;
    this.#options = options;
    const { after = 'start', pollMs = POLL_MS, follow = true } = options;
    if (typeof follow !== 'boolean')
      throw new SvcError(`"follow" must be true or false, not ${textOf(follow)}.`);
    checkedNumber('pollMs', pollMs, { min: 1, max: LONGEST_TIMER_MS, whole: false });
    if (after === 'start' || after === 'now') return;
    const position = decodePosition(after, source.name);
    [this.#cursor, this.#given, this.#place] = [position.cursor, position.given, position.place];
  }

  /**
   * Takes the place where the tail begins, which an iteration else does first: `now` is now, and {@link position} says
   * where that was, though no record may come for long.
   */
  begin(): Promise<void> {
    return this.#begin(this.#source.signal);
  }

  async #begin(signal: Signal | undefined): Promise<void> {
    if (!this.#begun && this.#options.after === 'now') await this.#beginNow(signal);
    this.#begun = true;
  }

  /**
   * After the last record that was given, as text to be stored and passed as `after`. Opaque; valid at any age. Of a tail
   * from `now` that has not begun it is `now`.
   */
  get position(): string {
    if (!this.#begun && this.#options.after === 'now') return 'now';
    const whole = this.#page.length > 0 && this.#given === this.#page.length;
    return encodePosition({
      list: this.#source.name,
      cursor: whole ? this.#pageEnd : this.#cursor,
      given: whole ? 0 : this.#given,
      place: this.#placeNow(),
    });
  }

  /** Every record, one by one. Its `return` ends it at once, also while it waits for the next record. */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    return stoppable((signal) => this.#records(signal), this.#source.signal);
  }

  async *#records(signal: Signal): AsyncGenerator<T, void, undefined> {
    for await (const items of this.#unseen(signal)) {
      for (const item of items) {
        signal.throwIfAborted();
        this.#given += 1;
        yield item;
      }
    }
  }

  /** The records as they come, up to 100 at a time, never none; {@link position} then is after the last of them. */
  pages(): AsyncGenerator<readonly T[], void, undefined> {
    return stoppable((signal) => this.#pages(signal), this.#source.signal);
  }

  async *#pages(signal: Signal): AsyncGenerator<readonly T[], void, undefined> {
    for await (const items of this.#unseen(signal)) {
      this.#given += items.length;
      yield items;
    }
  }

  /** Pages of records that were not given; the caller counts in `#given` what it gives. */
  async *#unseen(signal: Signal): AsyncGenerator<readonly T[], void, undefined> {
    const { pollMs = POLL_MS, follow = true } = this.#options;
    await this.#begin(signal);
    for (;;) {
      const page = await this.#next(signal);
      const items = inOrderOfTravel(page, 'before');
      const given = this.#given === 0 ? 0 : this.#givenOf(items);
      [this.#page, this.#given, this.#pageEnd] = [items, given, page.pagination.startCursor ?? this.#cursor];
      if (given < items.length) yield given === 0 ? items : items.slice(given);
      this.#moveTo(this.#pageEnd, 0, this.#placeNow());
      if (page.pagination.hasMore) continue;
      if (!follow) return;
      await this.#source.sleep(pollMs, signal);
    }
  }

  /** Begins behind the newest record: remembered as given, so that the place is found again when the cursor expires. */
  async #beginNow(signal: Signal | undefined): Promise<void> {
    const page = await this.#source.read({
      cursor: null,
      direction: 'forward',
      limit: PLACE_IDS_MAX,
      signal,
    });
    this.#cursor = page.pagination.startCursor;
    this.#place = this.#source.order.placeAfter(inOrderOfTravel(page, 'before'));
  }

  async #next(signal: Signal): Promise<Page<T>> {
    for (let fruitless = 0; ; fruitless += 1) {
      try {
        return await this.#source.read({
          cursor: this.#cursor,
          direction: 'before',
          limit: PAGE_LIMIT_MAX,
          signal,
        });
      } catch (error) {
        if (!(error instanceof SvcCursorExpiredError) || fruitless === FRUITLESS_SEARCHES_MAX) throw error;
        this.#source.onRestart?.({ list: this.#source.name, error });
        await this.#find(signal);
      }
    }
  }

  /** Looks for the place from the newest record on, and takes the gap at the far end of the page where it is. */
  async #find(signal: Signal): Promise<void> {
    const { read, order, name } = this.#source;
    const place = this.#placeNow();
    if (place === undefined) throw lost(name);
    for (let cursor: string | null = null; ; ) {
      const page: Page<T> = await read({ cursor, direction: 'forward', limit: PAGE_LIMIT_MAX, signal });
      const given = order.given(inOrderOfTravel(page, 'before'), place) ?? 0;
      if (given > 0) {
        this.#moveTo(page.pagination.endCursor, given, place);
        return;
      }
      cursor = page.pagination.nextCursor;
      if (cursor !== null) continue;
      // Whatever was given is gone: what is left came later. By ids alone nobody can tell.
      if (place.key === undefined) throw lost(name);
      this.#moveTo(null, 0, place);
      return;
    }
  }

  #moveTo(cursor: string | null, given: number, place: Place | undefined): void {
    [this.#cursor, this.#given, this.#place, this.#page] = [cursor, given, place, []];
  }

  #givenOf(items: readonly T[]): number {
    const { order, name } = this.#source;
    const place = this.#placeNow();
    const given = place && order.given(items, place, this.#given);
    if (given === undefined) throw lost(name);
    return given;
  }

  #placeNow(): Place | undefined {
    const { order } = this.#source;
    const here = order.placeAfter(this.#page.slice(0, this.#given));
    if (here === undefined || here.ids.length === PLACE_IDS_MAX || here.key !== undefined)
      return here ?? this.#place;
    return { ids: [...(this.#place?.ids ?? []), ...here.ids].slice(-PLACE_IDS_MAX) };
  }
}
