import { textOf } from '../checked-options.ts';
import { SvcCursorExpiredError, SvcError } from '../errors.ts';
import { positionLost, type RestartEvent } from '../list/iterate.ts';
import { ANCHOR_IDS_MAX, type Anchor, type Listed, type Order } from '../list/order.ts';
import { inDirection, PAGE_LIMIT_MAX, type Page, type ReadPage } from '../list/page.ts';
import { checkedNumber, LONGEST_TIMER_MS } from '../number.ts';
import type { Signal } from '../signal.ts';
import { stoppable } from '../stoppable.ts';
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
const ATTEMPTS_WITHOUT_PROGRESS_MAX = 3;

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
  #yielded = 0;
  /** Found again by this, unless something of the page at hand was given. */
  #anchor: Anchor | undefined;
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
    [this.#cursor, this.#yielded, this.#anchor] = [position.cursor, position.yielded, position.anchor];
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
    const whole = this.#page.length > 0 && this.#yielded === this.#page.length;
    return encodePosition({
      list: this.#source.name,
      cursor: whole ? this.#pageEnd : this.#cursor,
      yielded: whole ? 0 : this.#yielded,
      anchor: this.#currentAnchor(),
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
        this.#yielded += 1;
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
      this.#yielded += items.length;
      yield items;
    }
  }

  /** Pages of records that were not given; the caller counts in `#yielded` what it gives. */
  async *#unseen(signal: Signal): AsyncGenerator<readonly T[], void, undefined> {
    const { pollMs = POLL_MS, follow = true } = this.#options;
    await this.#begin(signal);
    for (;;) {
      const page = await this.#next(signal);
      const items = inDirection(page, 'before');
      const yielded = this.#yielded === 0 ? 0 : this.#countYielded(items);
      [this.#page, this.#yielded, this.#pageEnd] = [
        items,
        yielded,
        page.pagination.startCursor ?? this.#cursor,
      ];
      if (yielded < items.length) yield yielded === 0 ? items : items.slice(yielded);
      this.#moveTo(this.#pageEnd, 0, this.#currentAnchor());
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
      limit: ANCHOR_IDS_MAX,
      signal,
    });
    this.#cursor = page.pagination.startCursor;
    this.#anchor = this.#source.order.anchorAfter(inDirection(page, 'before'));
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

  /** Looks for the place from the newest record on, and takes the gap at the far end of the page where it is. */
  async #findAnchor(signal: Signal): Promise<void> {
    const { read, order, name } = this.#source;
    const anchor = this.#currentAnchor();
    if (anchor === undefined) throw positionLost(name);
    for (let cursor: string | null = null; ; ) {
      const page: Page<T> = await read({ cursor, direction: 'forward', limit: PAGE_LIMIT_MAX, signal });
      const yielded = order.countYielded(inDirection(page, 'before'), anchor) ?? 0;
      if (yielded > 0) {
        this.#moveTo(page.pagination.endCursor, yielded, anchor);
        return;
      }
      cursor = page.pagination.nextCursor;
      if (cursor !== null) continue;
      // Whatever was given is gone: what is left came later. By ids alone nobody can tell.
      if (anchor.key === undefined) throw positionLost(name);
      this.#moveTo(null, 0, anchor);
      return;
    }
  }

  #moveTo(cursor: string | null, yielded: number, anchor: Anchor | undefined): void {
    [this.#cursor, this.#yielded, this.#anchor, this.#page] = [cursor, yielded, anchor, []];
  }

  #countYielded(items: readonly T[]): number {
    const { order, name } = this.#source;
    const anchor = this.#currentAnchor();
    const yielded = anchor && order.countYielded(items, anchor, this.#yielded);
    if (yielded === undefined) throw positionLost(name);
    return yielded;
  }

  #currentAnchor(): Anchor | undefined {
    const { order } = this.#source;
    const here = order.anchorAfter(this.#page.slice(0, this.#yielded));
    if (here === undefined || here.ids.length === ANCHOR_IDS_MAX || here.key !== undefined)
      return here ?? this.#anchor;
    return { ids: [...(this.#anchor?.ids ?? []), ...here.ids].slice(-ANCHOR_IDS_MAX) };
  }
}
