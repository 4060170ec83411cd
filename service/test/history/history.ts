/** What clients did and saw, and the content of the database afterwards. Times are milliseconds of one monotonic clock. */
export interface History {
  readonly attempts: readonly Attempt[];
  readonly writes: readonly Write[];
  readonly counts: readonly CountRead[];
  readonly walks: readonly Walk[];
  readonly tails: readonly Tail[];
  readonly copies: readonly Copy[];
  readonly endedTokens: readonly EndedToken[];
  readonly final: readonly FinalWorkspace[];
}

/** One HTTP request. A repeat has another request id. */
export interface Attempt {
  readonly workspaceId: string;
  readonly requestId: string;
  /** A name for the token, never the token. */
  readonly token: string;
  readonly live: boolean;
  readonly startMs: number;
  readonly endMs: number;
  /** Undefined: no complete response arrived. */
  readonly status: number | undefined;
}

type WriteKind = 'create' | 'delete' | 'patch';

/** A write with all of its attempts. A client repeats an attempt without a response, with the same Idempotency-Key. */
export interface Write {
  readonly workspaceId: string;
  readonly resource: 'audits' | 'content';
  readonly kind: WriteKind;
  /** The ids that the client chose. Empty: the service generates them. */
  readonly ids: readonly string[];
  /** How many records it writes. */
  readonly records: number;
  /** The write of a test key changes nothing. */
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

/** Every id that a reader saw. It follows a list from the first record until the last write. */
export interface Tail {
  readonly workspaceId: string;
  readonly list: 'audits' | 'audit-log';
  readonly ids: readonly string[];
}

/** A copy of records that a client has maintained with the feed until the last write. */
export interface Copy {
  readonly workspaceId: string;
  /** The ids of all changes, in the order in which they came. */
  readonly changes: readonly string[];
  /** The JSON of each record, by its id. */
  readonly records: Readonly<Record<'audits' | 'content', ReadonlyMap<string, string>>>;
  /** Whether a position was refused with 410. */
  readonly expired: boolean;
}

/** A token whose revocation or rotation was confirmed at this time. */
export interface EndedToken {
  readonly token: string;
  readonly confirmedMs: number;
}

export interface FinalWorkspace {
  readonly workspaceId: string;
  /** In the order of the list, oldest first. */
  readonly audits: readonly { readonly id: string; readonly doc: string }[];
  readonly content: readonly { readonly id: string; readonly title: string; readonly doc: string }[];
  /** The stored counter, and the response of the exact count. */
  readonly counted: number;
  readonly exactCount: number;
  /** The whole audit log, oldest first. */
  readonly log: readonly LogRow[];
  readonly liveQuota: number | null;
  /** The count of the meter for this month. */
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

/** Whether the status is a refusal, so that nothing was done. After a 503, this is unknown. */
export const isRefusal = (status: number | undefined): boolean =>
  status !== undefined && status >= 400 && status < 500;

export type WriteOutcome = 'acknowledged' | 'refused' | 'unknown';

export function outcomeOf({ attempts }: Write): WriteOutcome {
  if (attempts.some(({ status }) => isSuccess(status))) return 'acknowledged';
  return attempts.every(({ status }) => isRefusal(status)) ? 'refused' : 'unknown';
}

/** The ids of an acknowledged write: those in its response, or those that the client chose. */
export function idsOfWrite({ ids, attempts }: Write): readonly string[] {
  const answered = attempts.find(({ status, answeredIds }) => isSuccess(status) && answeredIds.length > 0);
  return answered?.answeredIds ?? ids;
}
