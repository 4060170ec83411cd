import type { Queryable } from '@svc/turns/lane';
import type { NewEntry } from './entry.ts';

/** What the audit log records of a request. */
export interface AuditedRequest {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly tokenVersion: number;
  /** Undefined: the database must check the key. */
  readonly validity?: KeyValidity | undefined;
  /**
   * Null for a test key: its requests are counted per day, but have no entry (specification, section 6). Also null for a
   * further unit of quota that a stream uses.
   */
  readonly entry: NewEntry | null;
  /** Whether the request uses live quota. */
  readonly counted: boolean;
  readonly failed: boolean;
  /** Whole milliseconds, without the time that the request waited for changes. The entry has the whole time. */
  readonly durationMs: number;
  /** Of the request's span, so that the commit is part of its trace. Undefined: it has none. */
  readonly traceparent?: string | undefined;
}

/**
 * What a process remembers to confirm a key without reading it. Each change that ends the validity of a key increments the
 * version of the keys of its workspace, in the same transaction (`lockLogForKeys`, and triggers).
 */
export interface KeyValidity {
  /** The version of the keys when the key was read. In this version, the key is valid until it expires. */
  readonly keysVersion: number;
  /** As text of the API, with microseconds. Null: it does not expire. */
  readonly expiresAt: string | null;
}

/**
 * The outcome of a request. `invalid_key`: the key was revoked or rotated meanwhile. `over_quota`: the live quota is
 * used up. In both cases nothing is written for the request.
 */
export type Outcome =
  | Recorded
  | { readonly result: 'invalid_key' }
  | { readonly result: 'over_quota'; readonly quota: QuotaState };

export interface Recorded {
  readonly result: 'recorded';
  /** The live quota after the request. Null: the workspace has none. */
  readonly quota: QuotaState | null;
  /** The validity of the request was out of date. Its key may have changed, so it should be read again. */
  readonly isStale?: boolean;
}

export interface QuotaState {
  /** Live requests per month. */
  readonly limit: number;
  readonly used: number;
}

/**
 * Why nothing is written for a workspace. `held`: another transaction has locked its log, or, if the statement did not wait
 * for this log, it may be missing. `stale`: the statement could not confirm all requests, because keys have changed, one has
 * expired, or the quota is not enough. So each request must be checked. `missing`: it has no log.
 */
export type NotWritten = 'held' | 'stale' | 'missing';

/** Which locks a statement waits for. */
export interface Patience {
  /** The workspace whose log it waits for. It leaves out all others whose logs are held. Undefined: it waits for none. */
  readonly waitFor: string | undefined;
  /** It fails with `lock_not_available` after this time. */
  readonly lockTimeoutMs: number;
}

/** Writes the requests of workspaces. Returns their outcomes in the order of the requests, or why nothing is written. */
export type WriteRequests = (
  client: Queryable,
  group: ReadonlyMap<string, readonly AuditedRequest[]>,
  patience: Patience,
) => Promise<ReadonlyMap<string, readonly Outcome[] | NotWritten>>;
