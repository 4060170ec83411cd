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

/** `POST …/keys`. */
export interface CreatedKey extends ChangedKey {
  /** Null in the response to a repeat: the token was in the first response. */
  readonly token: string | null;
}
