/** Number of records in each state when a batch fails. */
interface Counts {
  readonly done: number;
  readonly created: number;
  readonly refused: number;
  readonly unknown: number;
  readonly notSent: number | undefined;
  readonly idempotencyKey: string | undefined;
}

type AnyRecord = { readonly id: string };

/**
 * What `createMany`, `createBatches`, `updateMany` or `deleteMany` did before it failed. Printed or serialized, it shows
 * only the counts.
 */
export class BatchProgress {
  /**
   * Number of records whose batches the service confirmed. The batch that failed begins after them: `/data/3` in the
   * message is the record `done + 3` of the call.
   */
  readonly done: number;
  /** Number of records that `createMany` or `createBatches` created for certain: `done`. Otherwise 0. */
  readonly created: number;
  /** Number of records in the batch that the service refused. None of them was written. */
  readonly refused: number;
  /** Number of records in a batch that was sent but got no response. Either all of them were written or none. */
  readonly unknown: number;
  /** Number of records that were not sent; undefined if the source is not an array, so that its length is unknown. */
  readonly notSent: number | undefined;
  /**
   * Makes it safe to repeat the call. Within 24 hours, a call with this key, the same records or ids and the same
   * `batchSize` writes only what is missing. You may first correct records of the refused batch or of a later
   * one. Undefined for `updateMany`, which can be repeated without a key.
   */
  readonly idempotencyKey: string | undefined;
  readonly #records: readonly AnyRecord[];

  constructor(counts: Counts, records: readonly AnyRecord[] = []) {
    this.done = counts.done;
    this.created = counts.created;
    this.refused = counts.refused;
    this.unknown = counts.unknown;
    this.notSent = counts.notSent;
    this.idempotencyKey = counts.idempotencyKey;
    this.#records = records;
  }

  /**
   * The records that `createMany` created or `updateMany` changed. Empty for `createBatches`, which has already yielded
   * them.
   */
  get records(): readonly AnyRecord[] {
    return this.#records;
  }
}
