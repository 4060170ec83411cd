/**
 * The JSON types of the API, inferred from the contract. The service, the client and the dashboard all use them.
 * Times are ISO 8601 strings in UTC with up to six fractional digits. Ids are opaque strings.
 * Source: specification, section 2. docs/assumptions.md lists the fields that the specification leaves open.
 */

import type {
  AuditLogEntryOfAnyKind,
  ChangeOf,
  Contract,
  ME,
  MeOf,
  RECORDS,
  Wire,
} from './contract/index.ts';

export type {
  AuditLogChange,
  AuditLogKind,
  AuditLogTargetType,
  AuditLogValue,
  NewerValue,
} from './contract/index.ts';

/** ISO 8601 UTC, for example `2026-03-01T09:30:00.123456Z`. */
export type Time = string;

export type Audit = Wire<Contract['audits']>;
export type Mention = Wire<Contract['mentions']>;
export type Sentiment = Mention['sentiment'];
export type Content = Wire<Contract['content']>;
export type ContentStatus = Content['status'];
export type Company = Wire<Contract['companies']>;
export type ApiKey = Wire<Contract['apiKeys']>;
export type KeyMode = ApiKey['mode'];
export type KeyAccess = ApiKey['access'];
/**
 * An entry of the audit log: `entry.kind` narrows it. Its kind can be a {@link NewerValue}. Entries that version 0.1.0 of
 * the service wrote have no target, details or changes, and only their `api.request` entries have `ip` and `userAgent`.
 */
export type AuditLogEntry = AuditLogEntryOfAnyKind;

/** An entry of the audit log of a known kind that is not narrowed: it may have the fields of any kind. */
export type AnyAuditLogEntry = Wire<Contract['auditLog']>;

/**
 * A change of a record, or an event of the workspace: `change.type` and `change.resource` narrow it. Its type can be a
 * {@link NewerValue}, which a program ignores.
 */
export type Change = ChangeOf<(typeof RECORDS)[keyof typeof RECORDS]>;

/** What the pages of {@link Change}s have in addition to those of other lists. */
export interface Positioned {
  /** The durable position after the page. `after` continues there. */
  readonly position: string;
}

/** The body of every list response (specification, section 2, List envelope). */
export interface ListEnvelope<Item> {
  readonly data: readonly Item[];
  readonly pagination: {
    /** The cursor of the next page in the requested direction; null if there is none. */
    readonly nextCursor: string | null;
    /** Equal to `nextCursor !== null`. */
    readonly hasMore: boolean;
    /** The cursor before the first item of this page; null on an empty first page. */
    readonly startCursor: string | null;
    /** The cursor after the last item of this page; null on an empty first page. */
    readonly endCursor: string | null;
    /** Number of items in the list. Present only for companies and API keys, up to 1,000 items. */
    readonly total?: number;
    /**
     * Present if the page ended early, because a filter has no index and a request reads at most 5,000 items for it, or
     * 1,000 changes: the time of the last one. The page may be empty. `nextCursor` continues.
     */
    readonly searchedTo?: string;
  };
}

/** The body of `GET /v1/audits/count`. */
export interface Count {
  readonly count: number;
  readonly approximate: boolean;
}

/** The body of `GET /v1/me`: the API key of the request, and what limits it. */
export type Me = MeOf<typeof ME>;

/** The body of every error response (specification, section 2, Error envelope). */
export interface ErrorEnvelope {
  readonly error: { readonly code: string; readonly message: string };
}
