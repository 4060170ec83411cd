import type { Log } from '../log.ts';

export type UpgradeOptions = {
  /** The data directory (SVC_DATA_DIR). */
  readonly dataDir: string;
  /** The name of this process in the messages of others: `svcd upgrade-database`. */
  readonly purpose: string;
  /** The directory with the programs of the old PostgreSQL. Undefined if the operator named none. */
  readonly oldBinaries: string | undefined;
  /**
   * Copies the database at the URL `from` into the empty database at the URL `to`, and compares them. No other process
   * can write to them. Must close its connections before it resolves.
   */
  readonly copy: (databases: { readonly from: string; readonly to: string }) => Promise<void>;
  /** Is called with a sentence for people before each phase. */
  readonly onPhase: (text: string) => void;
  /** Ends the upgrade until the switch, as a failure does. */
  readonly signal: AbortSignal;
  readonly log: Log;
};
