import type { AnyAuditLogEntry, Company, ContentStatus, Sentiment, Time } from '@svc/sdk';
import type { FieldFailure } from '../http/errors.ts';
import type { Role } from './auth/permissions.ts';
import type { DeletedWorkspace } from './people/wire.ts';

export type * from './openid/wire.ts';
export type { ExplorerAnswer } from './workspace/explorer-wire.ts';
export type * from './workspace/key-wire.ts';

/** The bodies of the dashboard's responses. Records, keys and log entries are as in the API (@svc/sdk). */

export type * from './people/wire.ts';
export type { ListCount, SearchHit, SearchHits } from './records/wire.ts';

/** `GET /me`. */
export interface Me {
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  /** Ordered by name. */
  readonly workspaces: readonly {
    readonly id: string;
    readonly name: string;
    readonly role: Role;
  }[];
  /** Deleted ones, whose data is still stored. Ordered by name. */
  readonly deletedWorkspaces: readonly DeletedWorkspace[];
}

/** `GET` and `PATCH /workspaces/{id}`. */
export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Time;
  /** The role of the person who sends the request. */
  readonly role: Role;
  /** Live requests per calendar month (UTC); null: no limit. */
  readonly liveQuota: number | null;
  /** Requests per second that one key may make; null: no limit. */
  readonly burstLimit: number | null;
  /** Whether members without a second factor are refused with `second_factor_required`. */
  readonly secondFactorRequired: boolean;
}

/** `POST /password-reset/read`: the person whose password the link sets. */
export interface PasswordResetOffer {
  readonly email: string;
}

/** `POST /workspaces/{id}/members/{id}/password-reset`. Only this response holds the link. */
export interface IssuedResetLink extends PasswordResetOffer {
  readonly link: string;
  readonly expiresAt: Time;
}

/** `GET /workspaces/{id}/company-names`, by name. First the searched id, then names that start with the text. */
export interface CompanyNames {
  readonly data: readonly Pick<Company, 'id' | 'name' | 'domain'>[];
  /** Whether older companies were searched only by their id and by the start of their name. */
  readonly partial: boolean;
}

/** An item of `GET …/data/{resource}/{recordId}/history`: a list with `cursor` and `limit`, newest first. */
export interface RecordChange {
  /** Id of the change in the feed. */
  readonly id: string;
  /** Such as `content.updated`. */
  readonly type: string;
  readonly createdAt: Time;
  /** Names of the fields that changed. Absent if it is not an update. */
  readonly changed?: readonly string[];
  /** The entry of the audit log. Null: it is no longer stored, was not found near the change, or there is none. */
  readonly entry: Pick<AnyAuditLogEntry, 'id' | 'kind' | 'createdAt' | 'actor' | 'keyId'> | null;
}

/** `GET /deployment`: what the operator has set for all workspaces. */
export interface Deployment {
  /** The audit log keeps an entry for at least this many days. */
  readonly logRetentionDays: number;
}

/** `GET /auth/get-session`; null if there is no session. */
export interface CurrentSession {
  readonly session: Pick<SessionOfList, 'id'>;
  readonly user: { readonly id: string; readonly email: string; readonly twoFactorEnabled: boolean };
}

/** An item of `GET /auth/list-sessions`. */
export interface SessionOfList {
  /** Names the session to `POST /auth/revoke-session`. */
  readonly id: string;
  readonly createdAt: Time;
  readonly updatedAt: Time;
  readonly expiresAt: Time;
  readonly ipAddress: string | null;
  readonly userAgent: string | null;
}

/** `POST /auth/sign-in/email`. True: the second factor is needed. Otherwise a session has started. */
export interface SignedIn {
  readonly twoFactorRedirect?: boolean;
}

/** `POST /auth/two-factor/enable`. `POST /auth/two-factor/generate-backup-codes` returns only the codes. */
export interface SecondFactorSetUp {
  /** `otpauth:` address, for an authenticator. */
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}

export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: Time;
  readonly expiresAt: Time;
}

/** `POST /workspaces/{id}/invitations`. */
export interface IssuedInvitation {
  readonly invitation: Invitation;
  /** Null in the response to a repeat: the link was in the first response. */
  readonly link: string | null;
}

/** `POST /invitations/read`. */
export interface InvitationOffer extends Pick<Invitation, 'email' | 'role'> {
  readonly workspaceName: string;
  /** True: the person signs in to accept. False: the person chooses a password to accept. */
  readonly hasAccount: boolean;
}

/** `GET /workspaces/{id}/month`: the present calendar month (UTC). */
export interface Month {
  readonly startsAt: Time;
  readonly endsAt: Time;
  /** Live requests so far. */
  readonly used: number;
  /** Null: no limit. */
  readonly limit: number | null;
}

/** The length of time that a plot shows. */
export type RangeName = '24h' | '7d' | '30d' | '90d' | '1y';

/** `GET /workspaces/{id}/traffic`. */
export interface Traffic {
  readonly step: 'hour' | 'day';
  /** Oldest first, without gaps. The last one is the present hour or day (UTC). */
  readonly spans: readonly TrafficSpan[];
  readonly total: TrafficFigures;
  /** The time before the first span, as long as from its start until now. */
  readonly before: Pick<TrafficFigures, 'live' | 'test' | 'errors'>;
}

export interface TrafficFigures {
  readonly live: number;
  readonly test: number;
  /** The live and test requests that got a 4xx or 5xx response. */
  readonly errors: number;
  /** The latency that half of the requests did not exceed, in milliseconds; null without requests. */
  readonly p50: number | null;
  /** The same for 95 % of the requests. */
  readonly p95: number | null;
}

interface TrafficSpan extends TrafficFigures {
  /** Start of the span. */
  readonly at: Time;
}

/** `GET /workspaces/{id}/overview`. */
export interface Overview {
  /** `forecast`: live requests by the end of the month, at the rate of the last seven days. */
  readonly month: Month & { readonly forecast: number };
  /** The first steps that the workspace has done. */
  readonly begun: { readonly key: boolean; readonly records: boolean; readonly request: boolean };
  /** Number of records by name of the resource. */
  readonly counts: Readonly<Record<string, number>>;
  /** Number of mentions by sentiment, of the newest 1,000. */
  readonly sentiments: Readonly<Record<Sentiment, number>>;
  /** Number of content items by status. 1,001: more than 1,000. */
  readonly content: Readonly<Record<ContentStatus, number>>;
}

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
  /** Id of the import. The audit log has an entry for it if it added records. Null: a dry run. */
  readonly id: string | null;
  readonly inserted: number;
  /** How many of the inserted records were added by earlier requests with the same Idempotency-Key. */
  readonly addedBefore: number;
  /** Records whose id already existed. They are unchanged, unless `existing` of the request is `replace`. */
  readonly existing: number;
  /** How many of the existing records this request has changed. */
  readonly replaced: number;
  readonly refused: number;
  /**
   * The first 1,000 refused lines, in the order of the file. Lines that an earlier request refused because of the state of
   * the workspace (missing company, a time not in the past) are counted, not listed.
   */
  readonly refusedLines: readonly {
    /** The line where the record starts, from 1. */
    readonly line: number;
    /** The beginning of the record. */
    readonly text: string;
    readonly failures: readonly FieldFailure[];
  }[];
}
