/** What is known when a batch has failed. */
interface Counts {
  readonly created: number;
  readonly refused: number;
  readonly unknown: number;
  readonly notSent: number | undefined;
  readonly idempotencyKey: string;
}

type CreatedRecord = { readonly id: string };

/** How far `createMany` or `createBatches` came before it failed. Printed or serialised, it shows counts, not records. */
export class BatchProgress {
  /** Records that exist: the service confirmed their batches. */
  readonly created: number;
  /** Records of a batch that the service refused: none of them exists. */
  readonly refused: number;
  /** Records of a batch that was sent and never answered: all of them exist, or none. */
  readonly unknown: number;
  /** Records that were not sent; undefined when the source does not tell how many it has. */
  readonly notSent: number | undefined;
  /**
   * Makes a repeat safe: within 24 hours, a call with this key, the same records and the same `batchSize` creates what is
   * missing and nothing twice. A record of the refused batch, or of a later one, may be corrected before.
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

  /** Of `createMany`: the records that exist. `createBatches` has given them already, and keeps none. */
  get records(): readonly CreatedRecord[] {
    return this.#records;
  }
}
