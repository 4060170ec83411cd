import { textOf } from '../checked-options.ts';
import { PAGE_LIMIT_MAX } from '../contract/index.ts';
import { SvcCursorExpiredError, SvcError } from '../errors.ts';
import { positionLost, type RestartEvent } from '../list/iterate.ts';
import { ANCHOR_IDS_MAX, type Anchor, type Listed, type Order } from '../list/order.ts';
import { inDirection, type Page, type ReadPage } from '../list/page.ts';
import { checkedNumber, LONGEST_TIMER_MS } from '../number.ts';
import type { Signal } from '../signal.ts';
import { stoppable } from '../stoppable.ts';
import { decodePosition, encodePosition } from './position.ts';

/** Reads the pages of a list for {@link Tail}. */
export interface TailSource<T> {
  readonly name: string;
  readonly read: ReadPage<T>;
  /** Reads the list without its filters. */
  readonly readAll: ReadPage<T>;
  /** Oldest first: the list is newest first and is read backwards. */
  readonly order: Order;
  readonly signal: Signal | undefined;
  readonly onRestart: ((event: RestartEvent) => void) | undefined;
  readonly sleep: (ms: number, signal: Signal | undefined) => Promise<void>;
}

export interface TailOptions {
  /**
   * Where to begin. `start` yields all existing records, then new ones. `now` yields only new records. Any other
   * value is the `position` of an earlier tail: the tail continues after the last record that was yielded there.
   * @default 'start'
   */
  readonly after?: string | undefined;
  /**
   * Pause between two polls that find nothing new, in milliseconds. With a live key, each poll counts towards the
   * quota.
   * @default 5_000
   */
  readonly pollMs?: number | undefined;
  /**
   * Whether to wait for new records. If false, the tail ends at the newest record.
   * @default true
   */
  readonly follow?: boolean | undefined;
}

const POLL_MS = 5_000;
const ATTEMPTS_WITHOUT_PROGRESS_MAX = 3;

/**
 * Yields the records of a list in the order of their creation: first the existing records, then new ones. It skips no
 * record and repeats none. Store {@link position} to continue there later.
 *
 * Throws `SvcPositionLostError` if its cursor expires and its position is lost.
 *
 * @example
 * const tail = svc.audits.tail({ after: stored });
 * for await (const audit of tail) {
 *   await handle(audit);
 *   await store(tail.position);
 * }
 */
export class Tail<T extends Listed> implements AsyncIterable<T> {
  readonly #source: TailSource<T>;
  readonly #options: TailOptions;
  /** The cursor that loads the current page; null: the page with the oldest records. */
  #cursor: string | null = null;
  /** How many records of the current page have been yielded. */
  #yielded = 0;
  /** The anchor of the position, unless a record of the current page was yielded: then that record is the anchor. */
  #anchor: Anchor | undefined;
  /** The records of the current page, oldest first. */
  #page: readonly T[] = [];
  /** The cursor at the newest record of the current page. It loads the next page. */
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
    [this.#cursor, this.#yielded, this.#anchor] = [position.cursor, position.yielded, position.anchor];
  }

  /**
   * Fixes where a tail with `after: 'now'` begins, so that {@link position} can be stored before the first record
   * arrives. Without this call, the first step of an iteration does it.
   */
  begin(): Promise<void> {
    return this.#begin(this.#source.signal);
  }

  async #begin(signal: Signal | undefined): Promise<void> {
    if (!this.#begun && this.#options.after === 'now') await this.#beginNow(signal);
    this.#begun = true;
  }

  /**
   * The position after the last yielded record: an opaque string, which a later tail takes as `after`. It never
   * expires. It is `now` for a tail with `after: 'now'` that has not begun.
   */
  get position(): string {
    if (!this.#begun && this.#options.after === 'now') return 'now';
    const whole = this.#page.length > 0 && this.#yielded === this.#page.length;
    return encodePosition({
      list: this.#source.name,
      cursor: whole ? this.#pageEnd : this.#cursor,
      yielded: whole ? 0 : this.#yielded,
      anchor: this.#currentAnchor(),
    });
  }

  /** Yields the records one by one. Its `return` stops it immediately, even while it waits for a new record. */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    return stoppable((signal) => this.#records(signal), this.#source.signal);
  }

  async *#records(signal: Signal): AsyncGenerator<T, void, undefined> {
    for await (const items of this.#unseen(signal)) {
      for (const item of items) {
        signal.throwIfAborted();
        this.#yielded += 1;
        yield item;
      }
    }
  }

  /** Yields the records in arrays of 1 to 100. {@link position} is then after the last record of the array. */
  pages(): AsyncGenerator<readonly T[], void, undefined> {
    return stoppable((signal) => this.#pages(signal), this.#source.signal);
  }

  async *#pages(signal: Signal): AsyncGenerator<readonly T[], void, undefined> {
    for await (const items of this.#unseen(signal)) {
      this.#yielded += items.length;
      yield items;
    }
  }

  /** Yields arrays of records that were not yielded yet. The caller adds the records that it yields to `#yielded`. */
  async *#unseen(signal: Signal): AsyncGenerator<readonly T[], void, undefined> {
    const { pollMs = POLL_MS, follow = true } = this.#options;
    await this.#begin(signal);
    for (let searched = false; ; ) {
      const page = await this.#next(signal);
      const items = inDirection(page, 'before');
      const yielded = this.#yielded === 0 ? 0 : this.#countYielded(items);
      if (yielded === undefined) {
        // An import of many older records has moved the last yielded ones to another page.
        if (searched) throw positionLost(this.#source.name);
        searched = true;
        await this.#findAnchor(signal);
        continue;
      }
      searched = false;
      [this.#page, this.#yielded] = [items, yielded];
      this.#pageEnd = page.pagination.startCursor ?? this.#cursor;
      if (yielded < items.length) yield yielded === 0 ? items : items.slice(yielded);
      this.#moveTo(this.#pageEnd, 0, this.#currentAnchor());
      if (page.pagination.nextCursor !== null) continue;
      if (!follow) return;
      await this.#source.sleep(pollMs, signal);
    }
  }

  /**
   * Sets the position to the newest record, so that only newer records are yielded. The newest records become the
   * anchor, which finds the position if the cursor expires.
   */
  async #beginNow(signal: Signal | undefined): Promise<void> {
    const { read, readAll, order } = this.#source;
    const request = { cursor: null, direction: 'forward', limit: ANCHOR_IDS_MAX, signal } as const;
    const anchorOf = (page: Page<T>): Anchor | undefined => order.anchorAfter(inDirection(page, 'before'));
    let page = await read(request);
    if (page.data.length === 0 && page.pagination.startCursor !== null) {
      // A search has found nothing so far, and older records may match. A record that does not match is an anchor too.
      this.#anchor = anchorOf(await readAll(request));
      page = await read(request);
    }
    this.#cursor = page.pagination.startCursor;
    this.#anchor = anchorOf(page) ?? this.#anchor;
  }

  async #next(signal: Signal): Promise<Page<T>> {
    for (let attemptsWithoutProgress = 0; ; attemptsWithoutProgress += 1) {
      try {
        return await this.#source.read({
          cursor: this.#cursor,
          direction: 'before',
          limit: PAGE_LIMIT_MAX,
          signal,
        });
      } catch (error) {
        if (
          !(error instanceof SvcCursorExpiredError) ||
          attemptsWithoutProgress === ATTEMPTS_WITHOUT_PROGRESS_MAX
        )
          throw error;
        this.#source.onRestart?.({ list: this.#source.name, error });
        await this.#findAnchor(signal);
      }
    }
  }

  /**
   * Searches for the anchor from the newest record on. The end cursor of the page with the anchor becomes `#cursor`.
   */
  async #findAnchor(signal: Signal): Promise<void> {
    const { read, order, name } = this.#source;
    const anchor = this.#currentAnchor();
    // No record was yielded, and a tail that began at `now` found none: all records are new.
    if (anchor === undefined) return this.#moveTo(null, 0, anchor);
    for (let cursor: string | null = null; ; ) {
      const page: Page<T> = await read({ cursor, direction: 'forward', limit: PAGE_LIMIT_MAX, signal });
      const yielded = order.countYielded(inDirection(page, 'before'), anchor) ?? 0;
      if (yielded > 0) {
        this.#moveTo(page.pagination.endCursor, yielded, anchor);
        return;
      }
      cursor = page.pagination.nextCursor;
      if (cursor !== null) continue;
      // All yielded records were deleted. With a key, the search has shown that all remaining records are newer.
      if (anchor.key === undefined) throw positionLost(name);
      this.#moveTo(null, 0, anchor);
      return;
    }
  }

  #moveTo(cursor: string | null, yielded: number, anchor: Anchor | undefined): void {
    [this.#cursor, this.#yielded, this.#anchor, this.#page] = [cursor, yielded, anchor, []];
  }

  #countYielded(items: readonly T[]): number | undefined {
    const anchor = this.#currentAnchor();
    return anchor && this.#source.order.countYielded(items, anchor, this.#yielded);
  }

  #currentAnchor(): Anchor | undefined {
    const { order } = this.#source;
    const here = order.anchorAfter(this.#page.slice(0, this.#yielded));
    if (here === undefined || here.ids.length === ANCHOR_IDS_MAX || here.key !== undefined)
      return here ?? this.#anchor;
    return { ids: [...(this.#anchor?.ids ?? []), ...here.ids].slice(-ANCHOR_IDS_MAX) };
  }
}
