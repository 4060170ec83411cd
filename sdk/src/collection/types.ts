import type { CallOptions } from '../http/transport.ts';
import type { List } from '../list/list.ts';
import type { Filters, Item, ItemChange, NewItem, Sort } from '../resource.ts';
import type { Tail, TailOptions } from '../tail/tail.ts';
import type { Count } from '../wire.ts';

/** The methods of the client's resources: those that a resource's declaration gives it. */

type SortOption<R> = [Sort<R>] extends [never] ? unknown : { readonly sort?: Sort<R> | undefined };

/** What a list is asked for; without anything, all of it, newest first. */
export type ListOptions<R> = CallOptions &
  Filters<R> &
  SortOption<R> & {
    /** Items of a page, 1 to 100. Default: 50 when a page is awaited, 100 when the list is walked. */
    readonly limit?: number | undefined;
    /** A cursor of an earlier page of the same list, filters and sort. Default: the list's head. */
    readonly cursor?: string | undefined;
  };

/** What every resource has. */
export interface Reading<R> {
  /** The list: `await` it for one page, `for await` it for every record. */
  list(options?: ListOptions<R>): List<Item<R> & { readonly id: string }>;
  /** One record. Throws `SvcNotFoundError` when there is none that the key may see. */
  get(id: string, options?: CallOptions): Promise<Item<R>>;
  /** The records in the order in which they were created, those that are there and those that come. */
  tail(options?: TailOptions & Filters<R> & CallOptions): Tail<Item<R> & { readonly id: string }>;
}

export interface Counting {
  /** How many records the key may see: exactly, or with `approximate` at once and within 10 percent. */
  count(options?: CallOptions & { readonly approximate?: boolean | undefined }): Promise<Count>;
}

export interface PostOptions extends CallOptions {
  /**
   * Names this call for 24 hours: repeated under the same key it is answered as the first time, and carried out once.
   * Default: a new one for each call, so that the client's own retries never double a record.
   */
  readonly idempotencyKey?: string | undefined;
}

export interface BatchOptions extends PostOptions {
  /** Records of one batch, which is created whole or not at all. Default and maximum 1,000. */
  readonly batchSize?: number | undefined;
}

export interface Creating<R> {
  /** Creates a record; the answer is as a list would show it. */
  create(record: NewItem<R>, options?: PostOptions): Promise<Item<R>>;
  /**
   * Creates any number of records, in batches, one after the other. When a batch fails, those before it stay: the error's
   * `progress` says which records exist, how many may exist, and how to repeat the call safely. An error of the source
   * itself and the reason of an aborted signal are thrown as they are: where these matter, use {@link createBatches}.
   */
  createMany(
    records: Iterable<NewItem<R>> | AsyncIterable<NewItem<R>>,
    options?: BatchOptions,
  ): Promise<Item<R>[]>;
  /** The same, giving each batch's records as soon as it is created: for sources that do not fit into memory. */
  createBatches(
    records: Iterable<NewItem<R>> | AsyncIterable<NewItem<R>>,
    options?: BatchOptions,
  ): AsyncGenerator<readonly Item<R>[], void, undefined>;
}

export interface ChangeOptions extends CallOptions {
  /**
   * Only if the record is still as it was: an ETag, or the record that `get`, `create` or `update` gave. Otherwise throws
   * `SvcPreconditionFailedError`. After a broken connection it may mean that the change itself had arrived.
   */
  readonly ifMatch?: string | object | undefined;
}

export interface Updating<R> {
  /** Changes the fields that are given, by JSON merge patch (RFC 7396). */
  update(id: string, change: ItemChange<R>, options?: ChangeOptions): Promise<Item<R>>;
}

export interface Deleting {
  /** Deletes a record. A repeat after a broken connection that finds it gone is a success. */
  delete(id: string, options?: ChangeOptions): Promise<void>;
}

type When<Condition, T> = Condition extends true ? T : unknown;
type Has<R, W> = R extends { readonly writes: readonly (infer V)[] } ? (W extends V ? true : false) : false;

/** A resource of the client. */
export type Collection<R> = Reading<R> &
  When<R extends { readonly counted: true } ? true : false, Counting> &
  When<Has<R, 'create'>, Creating<R>> &
  When<Has<R, 'update'>, Updating<R>> &
  When<Has<R, 'delete'>, Deleting>;
