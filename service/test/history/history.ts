/** What clients did and saw, and the content of the database afterwards. Times are milliseconds of one monotonic clock. */
export interface History {
  readonly attempts: readonly Attempt[];
  readonly writes: readonly Write[];
  readonly counts: readonly CountRead[];
  readonly walks: readonly Walk[];
  readonly tails: readonly Tail[];
  readonly copies: readonly Copy[];
  /** All changes of each workspace that has readers of its feed. They were read after the last one. */
  readonly feeds: readonly Feed[];
  readonly longPolls: readonly LongPoll[];
  readonly streams: readonly StreamReader[];
  readonly receivers: readonly Receiver[];
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
  /** How the changes came to the copy, such as `long polls`. */
  readonly by: string;
  /** The position after which it follows the feed. */
  readonly after: string;
  /** The ids of all changes, in the order in which they came. */
  readonly changes: readonly string[];
  /** The JSON of each record, by its id. */
  readonly records: Readonly<Record<'audits' | 'content', ReadonlyMap<string, string>>>;
  /** Whether a position was refused with 410. */
  readonly expired: boolean;
}

/** The changes of a workspace after the position with which the run began, in their order. */
export interface Feed {
  readonly workspaceId: string;
  readonly changes: readonly FeedChange[];
}

export interface FeedChange {
  readonly id: string;
  readonly type: string;
  /** The item of `GET /v1/changes`. */
  readonly json: string;
}

/** A request for changes with `wait`. It was answered, or broke, or its client gave up. */
export interface LongPoll {
  readonly workspaceId: string;
  readonly requestId: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Whether no changes came. */
  readonly empty: boolean;
}

/** A reader of the stream, which connects to another node when a connection has ended, and resumes after its last event. */
export interface StreamReader {
  readonly workspaceId: string;
  /** The position after which it began. */
  readonly after: string;
  /** In their order. */
  readonly connections: readonly StreamConnection[];
}

export interface StreamConnection {
  readonly requestId: string;
  /** The ids of the changes that arrived. */
  readonly ids: readonly string[];
  /**
   * `complete`: the service ended it, without an error. `closed`: the reader did, after the last change and the faults.
   * `broken`: by a fault.
   */
  readonly end: 'complete' | 'closed' | 'broken';
}

/** A receiver of webhooks, with everything that arrived there. */
export interface Receiver {
  readonly workspaceId: string;
  readonly name: string;
  readonly ordered: boolean;
  /** The types of changes that its endpoint gets. Null: all. */
  readonly types: readonly string[] | null;
  /** The position after which its endpoint gets the changes. */
  readonly after: string;
  readonly arrivals: readonly Arrival[];
}

/** A webhook that arrived. */
export interface Arrival {
  /** Its header `webhook-id`. */
  readonly id: string;
  readonly body: string;
  /** Whether its signature is valid. */
  readonly signed: boolean;
  /** Whether the receiver answered it with a success. */
  readonly accepted: boolean;
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
  /** In an entry `stream.closed`: how many changes the stream has sent. */
  readonly streamed: number | null;
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

/** The changes that an endpoint or a reader wants, in the order of the feed. */
export const wantedBy = (
  { types, after }: Pick<Receiver, 'types' | 'after'>,
  { changes }: Feed,
): readonly FeedChange[] =>
  changes.filter(({ id, type }) => id > after && (types === null || types.includes(type)));
