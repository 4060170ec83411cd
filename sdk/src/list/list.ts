import { checkedOptions } from '../checked-options.ts';
import { type Direction, PAGE_LIMIT_MAX } from '../contract/index.ts';
import { SvcError } from '../errors.ts';
import { responseOf, type WithResponse } from '../http/response.ts';
import { checkedNumber } from '../number.ts';
import type { Signal } from '../signal.ts';
import { stoppable } from '../stoppable.ts';
import { iteratePages, type RestartEvent } from './iterate.ts';
import type { Listed, Order } from './order.ts';
import { inDirection, type Page, type ReadPage } from './page.ts';

/** Reads the pages of a list for {@link List}. */
export interface ListSource<T, More = unknown> {
  readonly name: string;
  readonly read: ReadPage<T, More>;
  readonly order: (direction: Direction) => Order;
  readonly signal: Signal | undefined;
  readonly onRestart: ((event: RestartEvent) => void) | undefined;
}

/** Where a list starts, and how it is read. */
export interface Start {
  readonly cursor: string | null;
  readonly direction: Direction;
  readonly limit: number | undefined;
}

/**
 * A list that has not been read yet. Each `await`, each `for await` and each method reads it again from its start.
 *
 * `for await` requests pages of 100 records unless `limit` is set. It requests a page when the records of the
 * previous page have been consumed.
 *
 * @example
 * const page = await svc.audits.list({ limit: 10 });               // one page
 * for await (const audit of svc.audits.list()) console.log(audit); // every record
 */
export class List<T extends Listed, More = unknown> implements Promise<Page<T, More>>, AsyncIterable<T> {
  readonly [Symbol.toStringTag] = 'List';
  readonly #source: ListSource<T, More>;
  readonly #start: Start;

  constructor(source: ListSource<T, More>, start: Start) {
    this.#source = source;
    this.#start = start;
  }

  /**
   * Yields every record from the start of this list, in the order of the list. After {@link before}, in the reverse
   * order. Its `return` stops it immediately. Throws `SvcPositionLostError` if its cursor expires and its position is
   * lost.
   */
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

  /** Yields every page from the start of this list. The items of a page are always in the order of the list. */
  pages(): AsyncGenerator<Page<T, More>, void, undefined> {
    return stoppable((signal) => this.#pages(this.#limit(PAGE_LIMIT_MAX), signal), this.#source.signal);
  }

  #pages(limit: number, signal = this.#source.signal): AsyncGenerator<Page<T, More>, void, undefined> {
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
   * Returns the same list, read backwards (`direction=before`). It starts at `cursor`; with the cursor that loaded a
   * page, it starts with the page before that one.
   * @default the cursor of this list, or the end of the list if it has none
   */
  before(cursor?: string): List<T, More> {
    return new List(this.#source, {
      ...this.#start,
      cursor: cursor ?? this.#start.cursor,
      direction: 'before',
    });
  }

  /** Returns an array of at most `max` records from the start of this list. */
  async toArray(options: { readonly max: number }): Promise<T[]> {
    const items: T[] = [];
    const { max }: Partial<typeof options> = checkedOptions(options, ['max']);
    if (max === undefined) throw new SvcError('`toArray` needs a maximum, such as `toArray({ max: 200 })`.');
    if (checkedNumber('max', max, { min: 0 }) === 0) return items;
    for await (const page of this.#pages(this.#limit(Math.min(max, PAGE_LIMIT_MAX)))) {
      const missing = max - items.length;
      items.push(...inDirection(page, this.#start.direction).slice(0, missing));
      if (items.length >= max) break;
    }
    return items;
  }

  /** Not `??`: the fallback replaces only `undefined`. A limit of null reaches the request, which refuses it. */
  #limit(fallback: number): number {
    const { limit = fallback } = this.#start;
    return limit;
  }

  /**
   * Reads one page, and resolves with it and with what its response says in addition, such as the request id and the rate
   * limit.
   */
  async withResponse(): Promise<{ readonly data: Page<T, More> } & WithResponse> {
    const page = await this.#first();
    return { data: page, response: responseOf(page) };
  }

  #first(): Promise<Page<T, More>> {
    return this.#source.read(this.#start);
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a list returns its first page.
  then<A = Page<T, More>, B = never>(
    onFulfilled?: ((page: Page<T, More>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#first().then(onFulfilled, onRejected);
  }

  catch<B = never>(
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<Page<T, More> | B> {
    return this.#first().catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Page<T, More>> {
    return this.#first().finally(onFinally);
  }
}
