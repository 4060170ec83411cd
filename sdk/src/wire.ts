/**
 * The shapes on the wire, once for the service, the client and the dashboard.
 * Times are ISO 8601 UTC text with up to six fractional digits; ids are opaque text.
 * Source: specification, section 2; fields that it leaves open: docs/assumptions.md.
 */

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

export type AuditLogKind =
  | 'api.request'
  | 'key.created'
  | 'key.rotated'
  | 'key.revoked'
  | 'member.invited'
  | 'member.removed'
  | 'member.role_changed'
  | 'quota.changed'
  | 'record.changed'
  | 'records.imported'
  | 'session.signed_in'
  | 'session.sign_in_failed';

export interface AuditLogEntry {
  readonly id: string;
  readonly kind: AuditLogKind;
  readonly createdAt: Time;
  readonly keyId: string | null;
  /** The dashboard user who acted; null for a program. */
  readonly actor: string | null;
  /** From here on: present on `api.request` alone. */
  readonly requestId?: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly ip?: string;
  readonly userAgent?: string | null;
  /** Of a write: the records that it made, changed or removed. Also on `record.changed`. */
  readonly recordIds?: readonly string[];
  /** Of `records.imported`: what was imported, and how many; an import has an entry for each batch. Of `record.changed`: what was changed. */
  readonly resource?: string;
  readonly records?: number;
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
