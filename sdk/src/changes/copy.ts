import { checkedOptions, textOf } from '../checked-options.ts';
import type { Svc } from '../client.ts';
import { PAGE_LIMIT_MAX, RECORDS } from '../contract/index.ts';
import {
  SvcCursorExpiredError,
  SvcCursorMismatchError,
  SvcError,
  SvcInvalidCursorError,
  SvcPositionExpiredError,
} from '../errors.ts';
import { CALL_OPTIONS, type CallOptions } from '../http/transport.ts';
import type { Page } from '../list/page.ts';
import type { Item, Resources } from '../resource.ts';
import type { Change } from '../wire.ts';
import { type CopyPosition, decodeCopyPosition, encodeCopyPosition } from './copy-position.ts';
import { NOW } from './follow.ts';

/** The resources whose records a copy can have. */
export type CopiedResource = keyof typeof RECORDS;
export type CopiedRecord = Item<Resources[CopiedResource]>;

/**
 * Where {@link copyChanges} keeps the copy. Each method may be asynchronous. After a crash, the calls since the last saved
 * position are repeated.
 */
export interface CopyStore {
  /** Returns the position that was saved last; undefined for a new copy. */
  loadPosition(): PromiseLike<string | undefined> | string | undefined;
  /** Saves the position: a text of at most a few hundred characters. */
  savePosition(position: string): unknown;
  /** Inserts or replaces a record, together with the number of the round. */
  put(resource: CopiedResource, record: CopiedRecord, round: number): unknown;
  /** Deletes a record. It may already be missing. */
  remove(resource: CopiedResource, id: string): unknown;
  /**
   * Deletes every record of an earlier round than this one. It is called when all lists were read from their start, so such
   * records no longer exist. The first round is 1.
   */
  removeBefore(round: number): unknown;
  /**
   * Runs the work in a transaction: keeps all that it stores, or nothing. At most 100 records and the position are stored
   * together.
   * @default no transaction; the position is saved last
   */
  transaction?(work: () => Promise<void>): PromiseLike<void>;
}

export interface CopyOptions extends CallOptions {
  /**
   * What to copy. If it differs from the last run, all lists are read again.
   * @default every resource whose records can change or be created
   */
  readonly resources?: readonly CopiedResource[] | undefined;
  /**
   * Whether to wait for further changes. If false, the copy ends when it has every change.
   * @default true
   */
  readonly follow?: boolean | undefined;
}

const COPIED = Object.keys(RECORDS) as readonly CopiedResource[];
/** If the position expires this often without a change in between, the copy fails. */
const EXPIRED_MAX = 3;

/**
 * Keeps an exact copy of the records that the API key can read, also while records are written, imported and deleted: takes
 * a position in the change feed, reads each list once, then applies the feed from that position. A later run continues at
 * the position that was saved last. If that position has expired, the lists are read again, and what no longer exists is
 * deleted.
 *
 * While the lists are read, the copy is not yet exact: a record of a company can be there before its company. Each key needs
 * its own store.
 *
 * Resolves when the copy has every change if `follow` is false. Otherwise it runs until its signal is aborted, and rejects
 * with the reason. Rejects with the error of a request, of the store, or `SvcPositionExpiredError` if the service keeps
 * changes for less time than reading the lists takes.
 *
 * @example
 * await copyChanges(svc, store, { retries: Infinity, signal });
 */
export async function copyChanges(svc: Svc, store: CopyStore, options?: CopyOptions): Promise<void> {
  const {
    resources = COPIED,
    follow = true,
    ...call
  } = checkedOptions(options, [...CALL_OPTIONS, 'resources', 'follow']);
  const unknown = Array.isArray(resources) ? resources.find((name) => !COPIED.includes(name)) : resources;
  if (unknown !== undefined || resources.length === 0)
    throw new SvcError(`"resources" must be some of ${COPIED.join(', ')}, not ${textOf(unknown)}.`);
  const copy = new Copy(svc, store, [...new Set(resources)], call);
  await copy.open();
  for (let expired = 0; ; ) {
    try {
      await copy.readLists();
      await copy.follow(follow, () => {
        expired = 0;
      });
      return;
    } catch (error) {
      expired += 1;
      if (!(error instanceof SvcPositionExpiredError) || expired === EXPIRED_MAX) throw error;
      await copy.startOver();
    }
  }
}

type AnyList = (options: object) => PromiseLike<Page<CopiedRecord>>;

class Copy {
  readonly #svc: Svc;
  readonly #store: CopyStore;
  readonly #resources: readonly CopiedResource[];
  readonly #call: CallOptions;
  #at: CopyPosition = { round: 0, resources: [], position: '', reading: null };

  constructor(svc: Svc, store: CopyStore, resources: readonly CopiedResource[], call: CallOptions) {
    this.#svc = svc;
    this.#store = store;
    this.#resources = resources;
    this.#call = call;
  }

  /** Continues where the last run ended, or starts over. */
  async open(): Promise<void> {
    const stored = await this.#store.loadPosition();
    if (stored !== undefined) this.#at = decodeCopyPosition(stored);
    const { resources } = this.#at;
    const same = resources.length === this.#resources.length;
    if (!same || this.#resources.some((name) => !resources.includes(name))) await this.startOver();
  }

  /** Begins the next round at the newest position of the feed. */
  async startOver(): Promise<void> {
    const tail = this.#svc.changes.tail({ ...this.#call, after: NOW });
    await tail.begin();
    await this.#save({
      round: this.#at.round + 1,
      resources: this.#resources,
      position: tail.position,
      reading: this.#listFrom(0),
    });
  }

  /** Reads the rest of the lists. */
  async readLists(): Promise<void> {
    for (let { reading } = this.#at; reading !== null; { reading } = this.#at) {
      const { cursor } = reading;
      const resource = reading.resource as CopiedResource;
      const list = this.#svc[resource].list as unknown as AnyList;
      let page: Page<CopiedRecord>;
      try {
        page = await list({
          ...this.#call,
          limit: PAGE_LIMIT_MAX,
          ...(cursor === null ? {} : { cursor }),
        });
      } catch (error) {
        if (cursor === null || !isOldCursor(error)) throw error;
        this.#at = { ...this.#at, reading: { resource, cursor: null } };
        continue;
      }
      const { nextCursor } = page.pagination;
      const next =
        nextCursor === null
          ? this.#listFrom(this.#resources.indexOf(resource) + 1)
          : { resource, cursor: nextCursor };
      await this.#save({ ...this.#at, reading: next }, async () => {
        for (const record of page.data) await this.#store.put(resource, record, this.#at.round);
        if (next === null) await this.#store.removeBefore(this.#at.round);
      });
    }
  }

  /** Applies the changes after the position. */
  async follow(follow: boolean, onPage: () => void): Promise<void> {
    const tail = this.#svc.changes.tail({ ...this.#call, after: this.#at.position, follow });
    for await (const changes of tail.pages()) {
      onPage();
      if (tail.position === this.#at.position) continue;
      await this.#save({ ...this.#at, position: tail.position }, async () => {
        for (const change of changes) await this.#apply(change);
      });
    }
  }

  async #apply(change: Change): Promise<void> {
    const resource = this.#resources.find((name) => name === change.resource);
    if (resource === undefined) return;
    // A change of a resource has its record, also if its type is newer than this version.
    const record = change.record as CopiedRecord | null;
    if (record === null) await this.#store.remove(resource, change.recordId);
    else await this.#store.put(resource, record, this.#at.round);
  }

  #listFrom(index: number): CopyPosition['reading'] {
    const resource = this.#resources[index];
    return resource === undefined ? null : { resource, cursor: null };
  }

  /** Does the work and saves the position, in one transaction. */
  async #save(at: CopyPosition, work: () => Promise<void> = async () => undefined): Promise<void> {
    const both = async (): Promise<void> => {
      await work();
      await this.#store.savePosition(encodeCopyPosition(at));
    };
    await (this.#store.transaction === undefined ? both() : this.#store.transaction(both));
    this.#at = at;
  }
}

/** Whether a cursor can no longer be used, so that its list is read from its start. */
const isOldCursor = (error: unknown): boolean =>
  error instanceof SvcCursorExpiredError ||
  error instanceof SvcInvalidCursorError ||
  error instanceof SvcCursorMismatchError;
