import type { Time } from '@svc/sdk';

/** What the dashboard's endpoints say of the workspace's records, beside the records themselves (@svc/sdk). */

/** `GET /resources`: what the declarations say, for tables, filters and forms. */
export interface ResourceShape {
  /** Plural; also the last segment of the path: `audits`. */
  readonly name: string;
  readonly singular: string;
  readonly description: string;
  /** In the order of the JSON. */
  readonly fields: readonly FieldShape[];
  /** Values of `sort`, the default first; empty: the list has one order. */
  readonly sorts: readonly string[];
  /** Query parameters that filter; the values that one may have, or null for ids. */
  readonly filters: readonly { readonly name: string; readonly values: readonly string[] | null }[];
  /** Whether a record stays as it was created. */
  readonly immutable: boolean;
  /** The states of a record, and for each those that it may change to; null: it has none. */
  readonly transitions: {
    readonly field: string;
    readonly moves: Readonly<Record<string, readonly string[]>>;
  } | null;
  /** What a file of an import may hold, and must. */
  readonly importFields: readonly { readonly name: string; readonly required: boolean }[];
}

export interface FieldShape {
  readonly name: string;
  readonly kind: 'text' | 'integer' | 'time';
  readonly description: string;
  readonly nullable: boolean;
  /** The closed set of values that it may have. */
  readonly values: readonly string[] | null;
  readonly maxLength: number | null;
  /** Whether a change may set it. */
  readonly writable: boolean;
}

/** `GET /workspaces/{id}/scores`. */
export interface Scores {
  /** The end of each span of time. */
  readonly times: readonly Time[];
  readonly companies: readonly {
    readonly id: string;
    readonly name: string;
    /** For each of `times` the headline score of the last audit that was completed in the span; null: there was none. */
    readonly scores: readonly (number | null)[];
  }[];
}

/**
 * `POST /workspaces/{id}/imports/{resource}`. What is counted as inserted stays, whatever comes after. A repeat with the
 * same Idempotency-Key returns the counts of the whole import.
 */
export interface ImportAnswer {
  /** The import's in the audit log, which has an entry for it if it added records. */
  readonly id: string;
  readonly inserted: number;
  /** Of them, those that earlier requests with the same Idempotency-Key have added. */
  readonly addedBefore: number;
  /** Records whose id was there already; nothing is changed. */
  readonly existing: number;
  readonly refused: number;
  /**
   * The first 1,000 of them, in the order of the file. Lines that an earlier request refused for what the workspace then
   * had (their company was missing, their createdAt was not past) are counted, not listed.
   */
  readonly refusedLines: readonly {
    /** Where it starts in the file, from 1. */
    readonly line: number;
    /** Its beginning. */
    readonly text: string;
    readonly failures: readonly { readonly field: string; readonly reason: string }[];
  }[];
}
