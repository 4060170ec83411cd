import { checkedOptions } from '../checked-options.ts';
import { checkedNumber } from '../number.ts';
import type { Signal } from '../signal.ts';
import { stoppable } from '../stoppable.ts';
import { iteratePages, type RestartEvent } from './iterate.ts';
import type { Listed, Order } from './order.ts';
import { type Direction, inDirection, PAGE_LIMIT_MAX, type Page, type ReadPage } from './page.ts';

/** What a list needs to be read. */
export interface ListSource<T> {
  readonly name: string;
  readonly read: ReadPage<T>;
  readonly order: (direction: Direction) => Order;
  readonly signal: Signal | undefined;
  readonly onRestart: ((event: RestartEvent) => void) | undefined;
}

export interface Start {
  readonly cursor: string | null;
  readonly direction: Direction;
  readonly limit: number | undefined;
}

/**
 * A list, not read yet. Each `await`, `for await` and method reads it anew:
 *
 * ```ts
 * const page = await svc.audits.list({ limit: 10 });               // one page
 * for await (const audit of svc.audits.list()) console.log(audit); // every record
 * ```
 *
 * A `for await` asks for pages of 100 unless a limit was given, and the next one only when it has come to its end.
 */
export class List<T extends Listed> implements Promise<Page<T>>, AsyncIterable<T> {
  readonly [Symbol.toStringTag] = 'List';
  readonly #source: ListSource<T>;
  readonly #start: Start;

  constructor(source: ListSource<T>, start: Start) {
    this.#source = source;
    this.#start = start;
  }

  /** Every record from here on, in the list's order; after {@link before}, in the opposite one. Its `return` ends it at once. */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    return stoppable((signal) => this.#records(signal), this.#source.signal);
  }

  async *#records(signal: Signal): AsyncGenerator<T, void, undefined> {
    for await (const page of this.#pages(this.#limit(PAGE_LIMIT_MAX), signal)) {
      for (const item of inDirection(page, this.#start.direction)) {
        signal.throwIfAborted();
        yield item;
      }
    }
  }

  /** Every page from here on; the items of a page are in the list's order, whatever the direction. */
  pages(): AsyncGenerator<Page<T>, void, undefined> {
    return stoppable((signal) => this.#pages(this.#limit(PAGE_LIMIT_MAX), signal), this.#source.signal);
  }

  #pages(limit: number, signal = this.#source.signal): AsyncGenerator<Page<T>, void, undefined> {
    const { name, read, order, onRestart } = this.#source;
    const { cursor, direction } = this.#start;
    return iteratePages({
      read,
      list: name,
      order: order(direction),
      direction,
      cursor,
      limit,
      onRestart,
      signal,
    });
  }

  /**
   * The same list towards its head: from the gap that the cursor names, or else from where this list starts, or else from
   * the list's end. Give it the cursor that loaded a page, and it begins with the page before that one.
   */
  before(cursor?: string): List<T> {
    return new List(this.#source, {
      ...this.#start,
      cursor: cursor ?? this.#start.cursor,
      direction: 'before',
    });
  }

  /** The records from here on in an array, at most `max`. */
  async toArray(options: { readonly max: number }): Promise<T[]> {
    const items: T[] = [];
    const { max = Number.NaN } = checkedOptions(options, ['max']);
    if (checkedNumber('max', max, { min: 0 }) === 0) return items;
    for await (const page of this.#pages(this.#limit(Math.min(max, PAGE_LIMIT_MAX)))) {
      const missing = max - items.length;
      items.push(...inDirection(page, this.#start.direction).slice(0, missing));
      if (items.length >= max) break;
    }
    return items;
  }

  /** Not `??`: a limit of null is no limit that was left out, and is refused with the request. */
  #limit(fallback: number): number {
    const { limit = fallback } = this.#start;
    return limit;
  }

  #first(): Promise<Page<T>> {
    return this.#source.read(this.#start);
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a list is what gives its first page.
  then<A = Page<T>, B = never>(
    onFulfilled?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#first().then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Page<T> | B> {
    return this.#first().catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Page<T>> {
    return this.#first().finally(onFinally);
  }
}
