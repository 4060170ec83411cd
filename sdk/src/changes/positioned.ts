import { textOf } from '../checked-options.ts';
import { SvcError } from '../errors.ts';
import type { Signal } from '../signal.ts';
import { stoppable } from '../stoppable.ts';
import type { Change } from '../wire.ts';
import { NOW, START } from './follow.ts';

/** Changes that arrive together. */
export interface ChangeBatch {
  readonly data: readonly Change[];
  /** The position after them. It can move on without a change. */
  readonly position: string;
}

/** Where {@link PositionedChanges} come from. */
export interface ChangeSource {
  /** Resolves with the position after the newest change. */
  newest(signal: Signal | undefined): Promise<string>;
  /** Yields the changes after a position, in the order of their commits. */
  follow(after: string, signal: Signal): AsyncGenerator<ChangeBatch, void, undefined>;
  readonly signal: Signal | undefined;
}

/** The changes of the workspace after a position, in the order of their commits. */
export class PositionedChanges implements AsyncIterable<Change> {
  readonly #source: ChangeSource;
  #position: string;

  constructor(source: ChangeSource, after: string = START) {
    if (typeof after !== 'string' || after === '')
      throw new SvcError(`"after" must be start, now or a position, not ${textOf(after)}.`);
    this.#source = source;
    this.#position = after;
  }

  /**
   * The position after the last yielded change, which a later tail or stream takes as `after`. The service stores changes
   * for 30 days by default; after that, a position expires. It is `now` with `after: 'now'` before the iteration has begun.
   */
  get position(): string {
    return this.#position;
  }

  /**
   * Fixes where `after: 'now'` begins, so that {@link position} can be stored before the first change arrives. Without this
   * call, the first step of an iteration does it.
   */
  begin(): Promise<void> {
    return this.#begin(this.#source.signal);
  }

  async #begin(signal: Signal | undefined): Promise<void> {
    if (this.#position === NOW) this.#position = await this.#source.newest(signal);
  }

  /** Yields the changes one by one. Its `return` stops it immediately, even while it waits for a new change. */
  [Symbol.asyncIterator](): AsyncGenerator<Change, void, undefined> {
    return stoppable((signal) => this.#changes(signal), this.#source.signal);
  }

  async *#changes(signal: Signal): AsyncGenerator<Change, void, undefined> {
    for await (const { data, position } of this.#follow(signal)) {
      for (const change of data) {
        signal.throwIfAborted();
        this.#position = change.id;
        yield change;
      }
      this.#position = position;
    }
  }

  /**
   * Yields the changes that arrive together, in arrays. {@link position} is then after them. An array is empty if nothing
   * has happened for a while, or if the filters leave out what has happened.
   */
  pages(): AsyncGenerator<readonly Change[], void, undefined> {
    return stoppable((signal) => this.#pages(signal), this.#source.signal);
  }

  async *#pages(signal: Signal): AsyncGenerator<readonly Change[], void, undefined> {
    for await (const { data, position } of this.#follow(signal)) {
      this.#position = position;
      yield data;
    }
  }

  async *#follow(signal: Signal): AsyncGenerator<ChangeBatch, void, undefined> {
    await this.#begin(signal);
    yield* this.#source.follow(this.#position, signal);
  }
}
