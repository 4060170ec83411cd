/** Every number of the specification's section 8 and of docs/assumptions.md, each with its unit in its name. */

export const PAGE_LIMIT_MIN = 1;
export const PAGE_LIMIT_MAX = 100;
export const PAGE_LIMIT_DEFAULT = 50;

/** A cursor older than this is refused with `cursor_expired`. */
export const CURSOR_LIFETIME_SECONDS = 24 * 60 * 60;

/** How long the ETag of an unchanged page stays the same: its cursors are good for at least as long after a 304. */
export const ETAG_LIFETIME_SECONDS = CURSOR_LIFETIME_SECONDS / 2;

/** `pagination.total` is left out of lists above this many items. */
export const TOTAL_MAX_ITEMS = 1_000;

/** How long a node may answer for a key from memory before it asks the database again (at most 60, section 5). */
export const KEY_CACHE_SECONDS = 30;
/** Keys a node remembers at most. */
export const KEY_CACHE_MAX_KEYS = 10_000;

/** Of the deployment's secret. */
export const SECRET_MIN_CHARACTERS = 32;
/** Random bytes of a token; 32 characters as base64url. */
export const TOKEN_RANDOM_BYTES = 24;

export const ID_MAX_CHARACTERS = 64;
export const BODY_MAX_BYTES = 1024 * 1024;
/** Bodies of batches. */
export const BATCH_BODY_MAX_BYTES = 8 * 1024 * 1024;
export const BATCH_MAX_RECORDS = 1_000;
/** Fields of a written record that are looked at; no resource has as many. */
export const RECORD_FIELDS_MAX = 100;
/** Levels of arrays and objects in any JSON that is read. */
export const JSON_DEPTH_MAX = 32;
/** Values in the JSON of one record of a file. One with more than RECORD_FIELDS_MAX fields is told which rule it breaks. */
export const RECORD_VALUES_MAX = 10 * RECORD_FIELDS_MAX;
/** Values in the JSON of a request's body: those of the largest batch. */
export const BODY_VALUES_MAX = BATCH_MAX_RECORDS * (RECORD_FIELDS_MAX + 2);

export const IDEMPOTENCY_KEY_MAX_CHARACTERS = 255;
export const IDEMPOTENCY_LIFETIME_SECONDS = 24 * 60 * 60;

export const HEADERS_MAX_BYTES = 16 * 1024;
/** A request must have arrived whole within this time. */
export const REQUEST_TIMEOUT_MS = 60_000;
/** Requests that still run this long after the service was told to end are cut. */
export const SHUTDOWN_DEADLINE_MS = 30_000;

/**
 * The fewest database connections of each lane (database/lanes.ts). With them, no workspace can take all connections of a
 * lane. A workspace counts as two owners in `writes` (`/v1` and its dashboard) and in `people` (itself and a person). All
 * held logs together are one more owner in `writes`; their turns are short.
 */
export const LANE_CONNECTIONS_MIN = { trail: 1, reads: 2, writes: 3, people: 3, slow: 2 } as const;
/** The fewest database connections of a process. */
export const CONNECTIONS_MIN = Object.values(LANE_CONNECTIONS_MIN).reduce<number>(
  (sum, size) => sum + size,
  0,
);

/** How long a write waits for its workspace's clock or log before it is answered with 503. */
export const LOCK_TIMEOUT_MS = 5_000;
/** The same for what people do before their workspace is known, such as a sign-in: others wait for its connection. */
export const PEOPLE_LOCK_TIMEOUT_MS = 3_000;
/** How long work waits for its turn among its process's connections before it is answered with 503. */
export const TURN_TIMEOUT_MS = 5_000;
/** The same for a write. */
export const WRITE_TURN_TIMEOUT_MS = 10_000;
/** Work of one kind that waits for its turn, in each process. One workspace may have half of it. */
export const TURNS_WAITING_MAX = 2_000;

/** How long a statement may take. */
export const STATEMENT_TIMEOUT_MS = 30_000;
/** The same where the cost is bounded: lists, records, keys, sessions. */
export const READ_STATEMENT_TIMEOUT_MS = 5_000;
/** The same where the cost grows with the workspace: exact counts, the log's filters, plots. */
export const SLOW_STATEMENT_TIMEOUT_MS = 10_000;
/** The same for a workspace's part of a group commit, or its held log: others wait for it. */
export const GROUP_STATEMENT_TIMEOUT_MS = 2_000;

/** How long a group commit waits for one workspace's log before it goes on without it. */
export const GROUP_COMMIT_LOCK_TIMEOUT_MS = 250;
/** How long a held log's entries wait in the queue of its lock before other held logs have their turn. */
export const HELD_LOG_LOCK_TIMEOUT_MS = 100;
/** How long held logs leave their connection to others when none of them could be written. */
export const HELD_LOG_PAUSE_MS = 100;
/** Entries that one group commit writes at most. */
export const GROUP_COMMIT_MAX_ENTRIES = 500;

/** `Retry-After` of a 503. */
export const UNAVAILABLE_RETRY_SECONDS = 1;

/** Months of audit-log partitions that exist ahead of now. */
export const PARTITIONS_AHEAD_MONTHS = 3;
/** How long an entry of the audit log is kept, where nothing else is set. */
export const LOG_RETENTION_DAYS_DEFAULT = 400;

/** How long requests are told by the hour: a year, and the one before it to compare it with. */
export const TRAFFIC_RETENTION_DAYS = 2 * 366;
