/** A bug that could get into the service: a change of one module's text. */
export interface Plant {
  readonly name: string;
  /** Below `service/src/`. */
  readonly file: string;
  /** The file contains this text exactly once. */
  readonly replace: string;
  readonly by: string;
  /** Text that is added at the end of the module. */
  readonly append?: string;
  /** The faults that the bug needs to cause damage. */
  readonly faults: readonly string[];
  /** Whether the run has receivers of webhooks. */
  readonly webhooks?: true;
  /** How long the run must be, if the default is too short for the bug. */
  readonly seconds?: number;
  /** The finding of the checker. */
  readonly found: RegExp;
}
