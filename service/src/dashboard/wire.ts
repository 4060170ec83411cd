import type { Time } from '@svc/sdk';
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

export interface Member {
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: Time;
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
