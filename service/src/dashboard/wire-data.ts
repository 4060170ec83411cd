import type { Time } from '@svc/sdk';
import type { FieldFailure } from '../http/errors.ts';

/** The bodies of the responses about the records of a workspace. The records are as in the API (@svc/sdk). */

/** `GET /workspaces/{id}/scores`. */
export interface Scores {
  /** The end of each span of time. */
  readonly times: readonly Time[];
  readonly companies: readonly {
    readonly id: string;
    readonly name: string;
    /** For each of `times`, the headline score of the last audit of the span; null without an audit. */
    readonly scores: readonly (number | null)[];
  }[];
}

/**
 * `POST /workspaces/{id}/imports/{resource}`. Inserted records stay, even if the import fails later. A repeat with the
 * same Idempotency-Key returns the counts of the whole import.
 */
export interface ImportAnswer {
  /** Id of the import. The audit log has an entry for it if it added records. */
  readonly id: string;
  readonly inserted: number;
  /** How many of them earlier requests with the same Idempotency-Key have added. */
  readonly addedBefore: number;
  /** Records whose id already existed. They are unchanged. */
  readonly existing: number;
  readonly refused: number;
  /**
   * The first 1,000 refused lines, in the order of the file. Lines that an earlier request refused because of the state of
   * the workspace (missing company, `createdAt` not in the past) are counted, not listed.
   */
  readonly refusedLines: readonly {
    /** The line where the record starts, from 1. */
    readonly line: number;
    /** The beginning of the record. */
    readonly text: string;
    readonly failures: readonly FieldFailure[];
  }[];
}

/** `GET /resources`: the declarations of the resources, for tables, filters and forms. */
export interface ResourceShape {
  /** Plural; also the last segment of the path: `audits`. */
  readonly name: string;
  readonly singular: string;
  readonly description: string;
  /** In the order of the JSON. */
  readonly fields: readonly FieldShape[];
  /** Values of `sort`, the default first. Empty: the list has only one order. */
  readonly sorts: readonly string[];
  /** Query parameters that filter, with their allowed values; null: any id. */
  readonly filters: readonly { readonly name: string; readonly values: readonly string[] | null }[];
  /** Whether a record cannot be changed after its creation. */
  readonly immutable: boolean;
  /** The states of a record, each with the states that may follow it; null: the record has no states. */
  readonly transitions: {
    readonly field: string;
    readonly moves: Readonly<Record<string, readonly string[]>>;
  } | null;
  /** The fields that a file of an import may have. */
  readonly importFields: readonly { readonly name: string; readonly required: boolean }[];
}

export interface FieldShape {
  readonly name: string;
  readonly kind: 'text' | 'integer' | 'time';
  readonly description: string;
  readonly nullable: boolean;
  /** The allowed values; null: any value of the kind. */
  readonly values: readonly string[] | null;
  readonly maxLength: number | null;
  /** Whether a change may set the field. */
  readonly writable: boolean;
}
