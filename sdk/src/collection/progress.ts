/** Number of records in each state when a batch fails. */
interface Counts {
  readonly created: number;
  readonly refused: number;
  readonly unknown: number;
  readonly notSent: number | undefined;
  readonly idempotencyKey: string;
}

type CreatedRecord = { readonly id: string };

/** What `createMany` or `createBatches` did before it failed. Printed or serialized, it shows only the counts. */
export class BatchProgress {
  /** Number of records that exist: the service confirmed their batches. */
  readonly created: number;
  /** Number of records in the batch that the service refused. None of them exists. */
  readonly refused: number;
  /** Number of records in a batch that was sent but got no response. Either all of them exist or none. */
  readonly unknown: number;
  /** Number of records that were not sent; undefined if the source is not an array, so that its length is unknown. */
  readonly notSent: number | undefined;
  /**
   * Makes it safe to repeat the call. Within 24 hours, a call with this key, the same records and the same
   * `batchSize` creates only the missing records. You may first correct records of the refused batch or of a later
   * one.
   */
  readonly idempotencyKey: string;
  readonly #records: readonly CreatedRecord[];

  constructor(counts: Counts, records: readonly CreatedRecord[] = []) {
    this.created = counts.created;
    this.refused = counts.refused;
    this.unknown = counts.unknown;
    this.notSent = counts.notSent;
    this.idempotencyKey = counts.idempotencyKey;
    this.#records = records;
  }

  /** The records that `createMany` created. Empty for `createBatches`, which has already yielded them. */
  get records(): readonly CreatedRecord[] {
    return this.#records;
  }
}
