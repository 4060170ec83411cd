/**
 * The JSON types of the API. The service, the client and the dashboard all use them.
 * Times are ISO 8601 strings in UTC with up to six fractional digits. Ids are opaque strings.
 * Source: specification, section 2. docs/assumptions.md lists the fields that the specification leaves open.
 */

import type { AuditLogKind, AuditLogTargetType } from './audit-log-kinds.ts';

export type { AuditLogKind, AuditLogTargetType } from './audit-log-kinds.ts';

/** ISO 8601 UTC, for example `2026-03-01T09:30:00.123456Z`. */
export type Time = string;

export interface Audit {
  readonly id: string;
  readonly companyId: string;
  /** Integer from 0 to 100. */
  readonly headlineScore: number;
  readonly completedAt: Time;
}

export type Sentiment = 'positive' | 'neutral' | 'negative';

export interface Mention {
  readonly id: string;
  readonly companyId: string;
  readonly source: string;
  readonly url: string;
  readonly title: string;
  readonly excerpt: string;
  readonly sentiment: Sentiment;
  readonly publishedAt: Time;
  readonly createdAt: Time;
}

export type ContentStatus = 'draft' | 'in_review' | 'scheduled' | 'published' | 'archived';

export interface Content {
  readonly id: string;
  readonly companyId: string;
  readonly title: string;
  readonly url: string | null;
  readonly status: ContentStatus;
  readonly createdAt: Time;
  readonly updatedAt: Time;
  readonly publishedAt: Time | null;
}

export interface Company {
  readonly id: string;
  readonly name: string;
  readonly domain: string | null;
  readonly createdAt: Time;
}

export type KeyMode = 'live' | 'test';
export type KeyAccess = 'read' | 'write';

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly mode: KeyMode;
  /** Prefix and last four characters of the token, for example `svc_live_…9xQ2`. */
  readonly hint: string;
  readonly access: KeyAccess;
  /** The only company whose records the key may access; null: the whole workspace. */
  readonly companyId: string | null;
  readonly createdAt: Time;
  /** Accurate to the minute; null: never used. */
  readonly lastUsedAt: Time | null;
  readonly revokedAt: Time | null;
}

/** A value in an entry of the audit log. */
export type AuditLogValue = string | number | boolean | null;

/** A changed value in an entry of the audit log. */
export interface AuditLogChange {
  /** What changed, such as `role`. */
  readonly field: string;
  /** Absent for a field of a record. */
  readonly before?: AuditLogValue;
  /** Absent for a field of a record. */
  readonly after?: AuditLogValue;
}

/**
 * An entry of the audit log. Entries that version 0.1.0 of the service wrote have no target, details or changes, and
 * only their `api.request` entries have `ip` and `userAgent`.
 */
export interface AuditLogEntry {
  readonly id: string;
  readonly kind: AuditLogKind;
  readonly createdAt: Time;
  /** The key that was used, or created, rotated or revoked. */
  readonly keyId: string | null;
  /** E-mail address of the person who acted; null if a program or the operator acted. */
  readonly actor: string | null;
  /** Present, like `ip` and `userAgent`, if an HTTP request caused the entry. */
  readonly requestId?: string;
  /** Present, like `path`, `status` and `durationMs`, only on `api.request`. */
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly ip?: string;
  readonly userAgent?: string | null;
  /** Present on writes and on `record.changed`: the records that were created, changed or deleted. */
  readonly recordIds?: readonly string[];
  /** Present on `records.imported` and `record.changed`: the name of the resource. */
  readonly resource?: string;
  /** Present on `records.imported`: how many records the import has added so far. */
  readonly records?: number;
  /** What the entry is about. */
  readonly targetType?: AuditLogTargetType;
  /** Id of the target. For a member, the id of the user. */
  readonly targetId?: string;
  /** Name of the target for people: an e-mail address, or the name of a key, a workspace or a file. */
  readonly targetLabel?: string;
  /** Further values by name. The names depend on the kind. */
  readonly details?: Readonly<Record<string, AuditLogValue>>;
  readonly changes?: readonly AuditLogChange[];
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
  };
}

/** The body of `GET /v1/audits/count`. */
export interface Count {
  readonly count: number;
  readonly approximate: boolean;
}

/** The body of every error response (specification, section 2, Error envelope). */
export interface ErrorEnvelope {
  readonly error: { readonly code: string; readonly message: string };
}
