/** What clients did and saw, and what the database holds afterwards. Times are milliseconds on one monotonic clock. */
export interface History {
  readonly attempts: readonly Attempt[];
  readonly writes: readonly Write[];
  readonly counts: readonly CountRead[];
  readonly walks: readonly Walk[];
  readonly tails: readonly Tail[];
  readonly endedTokens: readonly EndedToken[];
  readonly final: readonly FinalWorkspace[];
}

/** One HTTP request. Its request id is its own, also when it repeats another one. */
export interface Attempt {
  readonly workspaceId: string;
  readonly requestId: string;
  /** A name for the token, never the token. */
  readonly token: string;
  readonly live: boolean;
  readonly startMs: number;
  readonly endMs: number;
  /** Undefined: no whole response came. */
  readonly status: number | undefined;
}

type WriteKind = 'create' | 'delete' | 'patch';

/** A write, with all its attempts: a client repeats one that has no answer, with the same idempotency key. */
export interface Write {
  readonly workspaceId: string;
  readonly resource: 'audits' | 'content';
  readonly kind: WriteKind;
  /** The ids that the client chose; empty: the service chooses. */
  readonly ids: readonly string[];
  /** How many records it writes. */
  readonly records: number;
  /** A sandbox key's write changes nothing. */
  readonly dryRun: boolean;
  /** The title that a write of content sets. */
  readonly title?: string;
  readonly attempts: readonly WriteAttempt[];
}

export interface WriteAttempt extends Attempt {
  /** The ids in a successful response. */
  readonly answeredIds: readonly string[];
}

export interface CountRead {
  readonly workspaceId: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly count: number;
}

/** Every id of a list, page after page, by `nextCursor`. */
export interface Walk {
  readonly workspaceId: string;
  readonly startMs: number;
  readonly ids: readonly string[];
}

/** Every id that a reader met who follows a list from its first record until nothing is written any more. */
export interface Tail {
  readonly workspaceId: string;
  readonly list: 'audits' | 'audit-log';
  readonly ids: readonly string[];
}

/** A token whose revocation or rotation was confirmed at this time. */
export interface EndedToken {
  readonly token: string;
  readonly confirmedMs: number;
}

export interface FinalWorkspace {
  readonly workspaceId: string;
  /** In the order of the list, oldest first. */
  readonly audits: readonly { readonly id: string }[];
  readonly content: readonly { readonly id: string; readonly title: string }[];
  /** What the maintained counter and the exact count endpoint say. */
  readonly counted: number;
  readonly exactCount: number;
  /** The whole audit log in its order, oldest first. */
  readonly log: readonly LogRow[];
  readonly liveQuota: number | null;
  /** What the meter counts for this month. */
  readonly liveRequests: number;
}

export interface LogRow {
  readonly id: string;
  readonly kind: string;
  readonly requestId: string | null;
  readonly status: number | null;
}

export const isSuccess = (status: number | undefined): boolean =>
  status !== undefined && status >= 200 && status < 300;

/** Refused for good: nothing was done. A 503 says nothing. */
export const isRefusal = (status: number | undefined): boolean =>
  status !== undefined && status >= 400 && status < 500;

export type WriteOutcome = 'acknowledged' | 'refused' | 'unknown';

export function outcomeOf({ attempts }: Write): WriteOutcome {
  if (attempts.some(({ status }) => isSuccess(status))) return 'acknowledged';
  return attempts.every(({ status }) => isRefusal(status)) ? 'refused' : 'unknown';
}

/** The ids of an acknowledged write: those in its response, else those that the client chose. */
export function idsOfWrite({ ids, attempts }: Write): readonly string[] {
  const answered = attempts.find(({ status, answeredIds }) => isSuccess(status) && answeredIds.length > 0);
  return answered?.answeredIds ?? ids;
}
