import type { ApiKey } from '@svc/sdk';

/** The bodies of the dashboard's responses about keys. */

/** `POST …/keys/{keyId}/revoke`, `…/pause` and `…/resume`, and `PATCH …/keys/{keyId}`. */
export interface ChangedKey {
  readonly key: ApiKey;
}

/** `POST …/keys/{keyId}/rotate`. Only this response and that of `POST …/keys` hold a token. */
export interface IssuedKey extends ChangedKey {
  readonly token: string;
}

/** `GET …/keys/{keyId}`: a key with what only the dashboard shows. */
export interface KeyDetails extends ChangedKey {
  /** CIDR ranges; null: the key may be used from any address. */
  readonly allowedNetworks: readonly string[] | null;
  /** Requests per second of this key. The limit of the workspace applies too. Null: only that. */
  readonly burstLimit: number | null;
  /** Email address; null: the key was created before version 0.2.0. */
  readonly createdBy: string | null;
}

/** An item of `GET …/keys`. */
export interface ListedKey extends ApiKey {
  /** Email address; null: the key was created before version 0.2.0. */
  readonly createdBy: string | null;
  /**
   * Of the last 7 days (UTC), including today; the newest first. There is no item for a day without requests. A node of
   * version 0.1.0 does not send it.
   */
  readonly requests?: readonly DayOfKey[];
}

export interface DayOfKey {
  /** Such as `2026-03-01` (UTC). */
  readonly day: string;
  readonly requests: number;
}

/** `GET …/keys/{keyId}/usage`. */
export interface KeyUsage {
  /** Newest day first. There is no row for a day without requests. */
  readonly data: readonly (DayOfKey & {
    /** The requests that got a 4xx or 5xx response. */
    readonly errors: number;
  })[];
}

/** `GET …/key-notices`: keys that are neither paused nor revoked, the earliest expiry date first. */
export interface KeyNotices {
  /**
   * Keys that expire within 7 days, and keys that have expired in the last 30 days and were used in the 7 days before, or
   * later. Among the newest 5,000 keys, and of both only the 50 nearest to now, whether they were used or not.
   */
  readonly data: readonly ApiKey[];
}

/** `POST …/keys`. */
export interface CreatedKey extends ChangedKey {
  /** Null in the response to a repeat: the token was in the first response. */
  readonly token: string | null;
}
