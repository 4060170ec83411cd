import type { ChangeStream, ChangeStreamOptions } from '../changes/stream.ts';
import type { ChangeTail, ChangeTailOptions } from '../changes/tail.ts';
import type { ApiPromise, WithResponses } from '../http/response.ts';
import type { CallOptions } from '../http/transport.ts';
import type { List } from '../list/list.ts';
import type {
  FieldName,
  Filters,
  Item,
  ItemChange,
  NewItem,
  Queries,
  Selected,
  Selectors,
  Sort,
} from '../resource.ts';
import type { Tail, TailOptions } from '../tail/tail.ts';
import type { Count, Positioned } from '../wire.ts';

/** The methods of the resources. The declaration of a resource decides which of them it has. */

type SortOption<R> = [Sort<R>] extends [never] ? unknown : { readonly sort?: Sort<R> | undefined };

/** Whether the list of a resource has durable positions. */
type HasPositions<R> = R extends { readonly positions: true } ? true : false;

/** Options of a list with durable positions. */
export interface PositionOptions {
  /**
   * A position, or `now`. The list then has the items after it, in the order of their commits: oldest first. It excludes
   * `cursor`. Throws `SvcPositionExpiredError` if the items after the position are no longer stored.
   * @default the list begins with its newest item
   */
  readonly after?: string | undefined;
  /**
   * How many seconds the service waits for the first item after `after`, at most 30. The time limit of the call is extended
   * by it.
   * @default 0
   */
  readonly wait?: number | undefined;
}

/** Options of a list. Without options, it has all records, newest first. */
export type ListOptions<R> = CallOptions &
  Filters<R> &
  Queries<R> &
  SortOption<R> &
  When<HasPositions<R>, PositionOptions> & {
    /**
     * Records per page, 1 to 100.
     * @default 50 for one page (`await`), 100 for an iteration
     */
    readonly limit?: number | undefined;
    /**
     * A cursor from a page of the same list with the same filters and sort.
     * @default the beginning of the list
     */
    readonly cursor?: string | undefined;
  };

/** What {@link Reading.select} returns: methods that read only some fields of the records. */
export interface Selecting<R, Name> {
  list(
    options?: ListOptions<R>,
  ): List<Selected<Item<R>, Name> & { readonly id: string }, When<HasPositions<R>, Positioned>>;
  get(id: string, options?: CallOptions): ApiPromise<Selected<Item<R>, Name>>;
}

/** Like {@link Exporting}, with only some fields of the records. */
export interface SelectingExport<R, Name> {
  export(options?: Selectors<R> & CallOptions): AsyncGenerator<Selected<Item<R>, Name>, void, undefined>;
}

/** What {@link Reading.select} returns for a resource. */
export type Selection<R, Name> = Selecting<R, Name> & When<Has<R, 'create'>, SelectingExport<R, Name>>;

/** The methods that every resource has. */
export interface Reading<R> {
  /**
   * Returns a list: `await` reads one page, `for await` reads every record. It sends nothing by itself.
   *
   * @example
   * for await (const audit of svc.audits.list({ sort: 'score-descending' })) console.log(audit.id);
   */
  list(options?: ListOptions<R>): List<Item<R> & { readonly id: string }, When<HasPositions<R>, Positioned>>;
  /** Returns one record. Throws `SvcNotFoundError` if it does not exist or the key may not access it. */
  get(id: string, options?: CallOptions): ApiPromise<Item<R>>;
  /**
   * Returns methods that read only these fields of the records, and the `id`. Without the field that a list is sorted by, an
   * iteration whose cursor expires finds its position only if one of its last 16 records still exists.
   *
   * @example
   * for await (const { id, headlineScore } of svc.audits.select('headlineScore').list()) console.log(id, headlineScore);
   */
  select<const Name extends FieldName<R>>(...fields: readonly [Name, ...Name[]]): Selection<R, Name>;
}

export interface Exporting<R> {
  /**
   * Yields all records that the filters select, oldest first, from one response: one request, and one unit of quota per 100
   * records. A failure before the first record is retried. After it, the iteration throws, and a new one starts over.
   */
  export(options?: Selectors<R> & CallOptions): AsyncGenerator<Item<R>, void, undefined>;
}

export interface Tailing<R> {
  /**
   * Returns a tail, which yields the records in the order of their creation: existing records first, then new ones.
   */
  tail(options?: TailOptions & Selectors<R> & CallOptions): Tail<Item<R> & { readonly id: string }>;
}

export interface Following<R> {
  /** Returns a tail, which yields the changes in the order of their commits: stored changes first, then new ones. */
  tail(options?: ChangeTailOptions & Filters<R> & CallOptions): ChangeTail;
  /** Returns a stream, which yields the same as a tail, from one response that does not end. */
  stream(options?: ChangeStreamOptions & Filters<R> & CallOptions): ChangeStream;
}

export interface Counting {
  /** Returns the number of records that the key may access: exact, also with `approximate`. */
  count(options?: CallOptions & { readonly approximate?: boolean | undefined }): ApiPromise<Count>;
}

export interface PostOptions extends CallOptions {
  /**
   * Identifies this call for 24 hours. A repeated call with the same key gets the first response and creates nothing
   * again.
   * @default a new key per call, so that the client's own retries never create a record twice
   */
  readonly idempotencyKey?: string | undefined;
}

export interface BatchOptions extends PostOptions {
  /**
   * Largest number of records per batch, 1 to 1,000. The service creates either the whole batch or nothing.
   * @default 1_000
   */
  readonly batchSize?: number | undefined;
  /**
   * As for one record. At most 240 characters, because the number of each batch is added to it.
   * @default a new key per call
   */
  readonly idempotencyKey?: string | undefined;
}

/** Any number of records. The array is there for the compiler: it then says what is wrong with a record, and where. */
type Many<T> = readonly T[] | Iterable<T> | AsyncIterable<T>;

export interface Creating<R> {
  /** Creates a record and returns it as lists show it. */
  create(record: NewItem<R>, options?: PostOptions): ApiPromise<Item<R>>;
  /**
   * Creates any number of records in batches, one after the other, and returns them. If a batch fails, the records of
   * the earlier batches exist. The error's `progress` says which records exist, how many may exist, and how to repeat
   * the call safely.
   *
   * An error of the source, or the reason of an aborted signal, is thrown unchanged and without `progress`. Use
   * {@link createBatches} if you need to know what was created in these cases.
   */
  createMany(records: Many<NewItem<R>>, options?: BatchOptions): ApiPromise<Item<R>[], WithResponses>;
  /**
   * Like {@link createMany}, but yields the records of each batch when it is created. For sources that do not fit
   * into memory.
   */
  createBatches(
    records: Many<NewItem<R>>,
    options?: BatchOptions,
  ): AsyncGenerator<readonly Item<R>[], void, undefined>;
}

export interface ChangeOptions extends CallOptions {
  /**
   * An ETag, or a record from `get`, `create` or `update`. If the record has changed since, the call throws
   * `SvcPreconditionFailedError` and changes nothing. If the response to an `update` is lost and the retry gets
   * 412, the call throws the first error, because the first attempt may have made the change.
   * @default no condition
   */
  readonly ifMatch?: string | object | undefined;
}

export interface UpsertOptions extends ChangeOptions, PostOptions {
  /**
   * Only create. If the record exists, the call throws `SvcPreconditionFailedError`.
   * @default false
   */
  readonly ifNew?: boolean | undefined;
}

export interface Upserting<R> {
  /**
   * Creates the record with this id, or replaces the one that has it: fields that are left out get their default. The same
   * call again changes nothing.
   */
  upsert(id: string, record: Omit<NewItem<R>, 'id'>, options?: UpsertOptions): ApiPromise<Item<R>>;
}

export interface Updating<R> {
  /** Changes only the given fields (JSON merge patch, RFC 7396) and returns the changed record. */
  update(id: string, change: ItemChange<R>, options?: ChangeOptions): ApiPromise<Item<R>>;
  /**
   * Changes any number of records in batches, one after the other, and returns them. The service changes either a whole
   * batch or nothing. If one fails, the error's `progress` says what is done. The whole call can be repeated safely.
   */
  updateMany(
    changes: Many<ItemChange<R> & { readonly id: string }>,
    options?: CallOptions & Pick<BatchOptions, 'batchSize'>,
  ): ApiPromise<Item<R>[], WithResponses>;
}

export interface Deleting {
  /** Deletes a record. If a retry after a broken connection finds no record, the call succeeds. */
  delete(id: string, options?: ChangeOptions): ApiPromise<void>;
  /**
   * Deletes any number of records in batches, one after the other. The service deletes either a whole batch or nothing. If
   * one fails, the error's `progress` says what is done, and has the `idempotencyKey` for the repeated call.
   */
  deleteMany(ids: Many<string>, options?: BatchOptions): ApiPromise<void, WithResponses>;
}

/** A write of `svc.batch()`. */
export interface Operation {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path of a list with `POST`, otherwise that of a record: `/v1/companies/acme`. */
  readonly path: string;
  /** As the write alone would have it. */
  readonly body?: object | undefined;
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** The result of an operation. */
export interface OperationResult {
  /** 200, 201 or 204. */
  readonly status: number;
  /** The record. Undefined: it was deleted. */
  readonly body?: unknown;
}

type When<Condition, T> = Condition extends true ? T : unknown;
type Has<R, W> = R extends { readonly writes: readonly (infer V)[] } ? (W extends V ? true : false) : false;

/** The methods of a resource. */
export type Collection<R> = Reading<R> &
  (HasPositions<R> extends true ? Following<R> : Tailing<R>) &
  When<R extends { readonly counted: true } ? true : false, Counting> &
  When<Has<R, 'create'>, Creating<R> & Upserting<R> & Exporting<R>> &
  When<Has<R, 'update'>, Updating<R>> &
  When<Has<R, 'delete'>, Deleting>;
