import { textOf } from '../checked-options.ts';
import { SvcError } from '../errors.ts';
import type { Timing } from '../http/retry.ts';
import type { Page } from '../list/page.ts';
import type { Signal } from '../signal.ts';
import { stoppable } from '../stoppable.ts';
import type { Change, Positioned } from '../wire.ts';
import { followChanges, NOW, type ReadChanges, START } from './follow.ts';

export interface ChangeTailOptions {
  /**
   * Where to begin. `start` yields all changes that the service still stores, `now` only new ones. Any other value is a
   * position: the `position` of an earlier tail, the `pagination.position` of a page or the id of a change.
   * @default 'start'
   */
  readonly after?: string | undefined;
  /**
   * Whether to wait for new changes. If false, the tail ends at the newest change.
   * @default true
   */
  readonly follow?: boolean | undefined;
}

/** Reads the changes for a {@link ChangeTail}. */
export interface ChangeSource {
  readonly read: ReadChanges;
  readonly signal: Signal | undefined;
  readonly timing: Timing;
}

/**
 * Yields the changes of the workspace in the order of their commits, and waits for new ones. It skips none and repeats
 * none. Store {@link position} to continue there later.
 *
 * A change arrives as soon as it is committed: the service holds each request for up to 25 seconds until there is a
 * change. With a live key, each request counts towards the quota.
 *
 * Throws `SvcPositionExpiredError` if the changes after its position are no longer stored. Then read the lists again, or
 * let `copyChanges` do that.
 *
 * @example
 * const tail = svc.changes.tail({ after: stored });
 * for await (const change of tail) {
 *   await handle(change);
 *   await store(tail.position);
 * }
 */
export class ChangeTail implements AsyncIterable<Change> {
  readonly #source: ChangeSource;
  readonly #follow: boolean;
  #position: string;

  constructor(source: ChangeSource, options: ChangeTailOptions) {
    const { after = START, follow = true } = options;
    if (typeof after !== 'string' || after === '')
      throw new SvcError(`"after" must be start, now or a position, not ${textOf(after)}.`);
    if (typeof follow !== 'boolean')
      throw new SvcError(`"follow" must be true or false, not ${textOf(follow)}.`);
    this.#source = source;
    this.#position = after;
    this.#follow = follow;
  }

  /**
   * The position after the last yielded change, which a later tail takes as `after`. The service stores changes for 30
   * days by default; after that, a position expires. It is `now` for a tail with `after: 'now'` that has not begun.
   */
  get position(): string {
    return this.#position;
  }

  /**
   * Fixes where a tail with `after: 'now'` begins, so that {@link position} can be stored before the first change arrives.
   * Without this call, the first step of an iteration does it.
   */
  begin(): Promise<void> {
    return this.#begin(this.#source.signal);
  }

  async #begin(signal: Signal | undefined): Promise<void> {
    if (this.#position !== NOW) return;
    const { pagination } = await this.#source.read({ after: NOW, wait: undefined, signal });
    this.#position = pagination.position;
  }

  /** Yields the changes one by one. Its `return` stops it immediately, even while it waits for a new change. */
  [Symbol.asyncIterator](): AsyncGenerator<Change, void, undefined> {
    return stoppable((signal) => this.#changes(signal), this.#source.signal);
  }

  async *#changes(signal: Signal): AsyncGenerator<Change, void, undefined> {
    for await (const { data, pagination } of this.#read(signal)) {
      for (const change of data) {
        signal.throwIfAborted();
        this.#position = change.id;
        yield change;
      }
      this.#position = pagination.position;
    }
  }

  /**
   * Yields the changes of each response, in arrays of at most 100. {@link position} is then after them. An array is empty if
   * nothing has happened for a while, or if the filters leave out what has happened.
   */
  pages(): AsyncGenerator<readonly Change[], void, undefined> {
    return stoppable((signal) => this.#pages(signal), this.#source.signal);
  }

  async *#pages(signal: Signal): AsyncGenerator<readonly Change[], void, undefined> {
    for await (const { data, pagination } of this.#read(signal)) {
      this.#position = pagination.position;
      yield data;
    }
  }

  async *#read(signal: Signal): AsyncGenerator<Page<Change, Positioned>, void, undefined> {
    const { read, timing } = this.#source;
    await this.#begin(signal);
    const options = { after: this.#position, follow: this.#follow, signal };
    yield* followChanges(read, options, timing);
  }
}
