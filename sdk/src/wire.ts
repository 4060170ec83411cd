/**
 * The shapes on the wire, once for the service, the client and the dashboard.
 * Times are ISO 8601 UTC text with up to six fractional digits; ids are opaque text.
 * Source: specification, section 2; fields that it leaves open: docs/assumptions.md.
 */

import type { AuditLogKind, AuditLogTargetType } from './audit-log-kinds.ts';

export type { AuditLogKind, AuditLogTargetType } from './audit-log-kinds.ts';

/** ISO 8601 UTC, for example `2026-03-01T09:30:00.123456Z`. */
export type Time = string;

export interface Audit {
  readonly id: string;
  readonly companyId: string;
  /** Integer, 0–100. */
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
  /** The one company that the key may see; null: all of the workspace. */
  readonly companyId: string | null;
  readonly createdAt: Time;
  /** To the minute. */
  readonly lastUsedAt: Time | null;
  readonly revokedAt: Time | null;
}

/** A value in an entry of the audit log. */
export type AuditLogValue = string | number | boolean | null;

/** A change that an entry of the audit log holds. */
export interface AuditLogChange {
  /** What changed, such as `role`. */
  readonly field: string;
  /** Absent for a field of a record. */
  readonly before?: AuditLogValue;
  /** Absent for a field of a record. */
  readonly after?: AuditLogValue;
}

/** Entries of service version 0.1.0 have no target, details or changes, and only requests with a key have an origin. */
export interface AuditLogEntry {
  readonly id: string;
  readonly kind: AuditLogKind;
  readonly createdAt: Time;
  /** The key that was used, or created, rotated or revoked. */
  readonly keyId: string | null;
  /** E-mail address of the person who acted; null for a program and for the operator. */
  readonly actor: string | null;
  /** Of every entry that an HTTP request caused, also `ip` and `userAgent`. */
  readonly requestId?: string;
  /** Only on `api.request`, also `path`, `status` and `durationMs`. */
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly ip?: string;
  readonly userAgent?: string | null;
  /** Of a write: the records that it created, changed or deleted. Also on `record.changed`. */
  readonly recordIds?: readonly string[];
  /** Of `records.imported` and `record.changed`: the kind of records. */
  readonly resource?: string;
  /** Of `records.imported`: how many records the import has added so far. */
  readonly records?: number;
  /** What the entry is about. */
  readonly targetType?: AuditLogTargetType;
  /** Of a member: the id of the user. */
  readonly targetId?: string;
  /** For people: an e-mail address, or the name of a key, a workspace or a file. */
  readonly targetLabel?: string;
  /** Facts by their names; each kind has its own. */
  readonly details?: Readonly<Record<string, AuditLogValue>>;
  readonly changes?: readonly AuditLogChange[];
}

/** Every list response (specification, section 2, List envelope). */
export interface ListEnvelope<Item> {
  readonly data: readonly Item[];
  readonly pagination: {
    /** The next page in the direction of travel; null when there is none. */
    readonly nextCursor: string | null;
    /** Equal to `nextCursor !== null`. */
    readonly hasMore: boolean;
    /** The gap ahead of this page's first item; null on an empty first page. */
    readonly startCursor: string | null;
    /** The gap after this page's last item; null on an empty first page. */
    readonly endCursor: string | null;
    /** Companies and API keys only, up to 1,000 items. */
    readonly total?: number;
  };
}

/** `GET /v1/audits/count`. */
export interface Count {
  readonly count: number;
  readonly approximate: boolean;
}

/** Every failure (specification, section 2, Error envelope). */
export interface ErrorEnvelope {
  readonly error: { readonly code: string; readonly message: string };
}
