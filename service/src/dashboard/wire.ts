import type { ApiKey, Company, Time } from '@svc/sdk';
import type { Role } from './auth/permissions.ts';

/** What the dashboard's endpoints answer with, beside the shapes of the API itself (@svc/sdk). */

/** `GET /me`. */
export interface Me {
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  /** By name. */
  readonly workspaces: readonly { readonly id: string; readonly name: string; readonly role: Role }[];
}

/** `GET` and `PATCH /workspaces/{id}`. */
export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Time;
  /** The role of the person who asks. */
  readonly role: Role;
  /** Live requests a calendar month (UTC); null: no limit. */
  readonly liveQuota: number | null;
  /** Requests a second that one key may make; null: no limit. */
  readonly burstLimit: number | null;
}

/** `POST /workspaces/{id}/members/{id}/password-reset`. The only answer that has the link. */
export interface IssuedResetLink {
  readonly email: string;
  readonly link: string;
  readonly expiresAt: Time;
}

/** `POST /password-reset/read`: whose password the link sets. */
export interface PasswordResetOffer {
  readonly email: string;
}

/** `GET /workspaces/{id}/usage`. */
export interface Usage {
  /** Newest day first; a key has no row on a day without requests. Live and test requests. */
  readonly data: readonly {
    /** `2026-03-01`, UTC. */
    readonly day: string;
    readonly keyId: string;
    readonly requests: number;
    /** How many of them were answered with 4xx or 5xx. */
    readonly errors: number;
  }[];
  /** The calendar month (UTC) that runs. */
  readonly month: {
    readonly startsAt: Time;
    readonly endsAt: Time;
    /** Live requests so far. */
    readonly used: number;
    /** Null: no limit. */
    readonly limit: number | null;
  };
}

/** `GET /workspaces/{id}/company-names`, by name. */
export interface CompanyNames {
  readonly data: readonly Pick<Company, 'id' | 'name' | 'domain'>[];
}

/** `POST …/keys/{keyId}/rotate`; with `POST …/keys` the only response that holds a token. */
export interface IssuedKey {
  readonly key: ApiKey;
  readonly token: string;
}

/** `POST …/keys`. */
export interface CreatedKey {
  readonly key: ApiKey;
  /** Null in the response to a repeat: the token was in the first response. */
  readonly token: string | null;
}

/** `POST …/keys/{keyId}/revoke`. */
export interface RevokedKey {
  readonly key: ApiKey;
}

/** `GET /deployment`: what holds for all workspaces. */
export interface Deployment {
  /** An entry of the audit log is kept for at least so many days. */
  readonly logRetentionDays: number;
}

/** `GET /auth/get-session`; null when there is none. */
export interface CurrentSession {
  readonly session: Pick<SessionOfList, 'id'>;
  readonly user: { readonly id: string; readonly email: string; readonly twoFactorEnabled: boolean };
}

/** `GET /auth/list-sessions`. */
export interface SessionOfList {
  /** Names the session to `POST /auth/revoke-session`. */
  readonly id: string;
  readonly createdAt: Time;
  readonly updatedAt: Time;
  readonly expiresAt: Time;
  readonly ipAddress: string | null;
  readonly userAgent: string | null;
}

/** `POST /auth/sign-in/email`: a session, or the question for the second factor. */
export interface SignedIn {
  readonly twoFactorRedirect?: boolean;
}

/** `POST /auth/two-factor/enable`; the codes alone: `POST /auth/two-factor/generate-backup-codes`. */
export interface SecondFactorSetUp {
  /** `otpauth:` address, for an authenticator. */
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}

export interface Member {
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: Time;
}

/** `POST /workspaces/{id}/invitations`. Only this response holds the link. */
export interface IssuedInvitation {
  readonly invitation: Invitation;
  /** Null in the response to a repeat: the link was in the first response. */
  readonly link: string | null;
}

export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: Time;
  readonly expiresAt: Time;
}

/** What the holder of an invitation's link learns of it. */
export interface InvitationOffer {
  readonly email: string;
  readonly role: Role;
  readonly workspaceName: string;
  /** Whether the e-mail address has an account: then its owner signs in first, else chooses a password. */
  readonly hasAccount: boolean;
}
