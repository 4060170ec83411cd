import { BATCH_MAX_RECORDS, CURSOR_LIFETIME_SECONDS } from '@svc/sdk/contract';

/** The limits that only the service knows (docs/assumptions.md); the contract has others. Each name ends with its unit. */

/** How long the ETag of an unchanged page stays the same: after a 304, its cursors are valid for at least this time. */
export const ETAG_LIFETIME_SECONDS = CURSOR_LIFETIME_SECONDS / 2;

/** How long a node caches a key before it reads it again from the database (at most 60, section 5). */
export const KEY_CACHE_SECONDS = 30;
/** The most keys that a node caches. */
export const KEY_CACHE_MAX_KEYS = 10_000;

/** The shortest secret of a deployment. */
export const SECRET_MIN_CHARACTERS = 32;

/** The most fields of a written record that are checked. No resource has that many. */
export const RECORD_FIELDS_MAX = 100;
/** The most levels of arrays and objects in JSON. */
export const JSON_DEPTH_MAX = 32;
/** The most JSON values in one record of a file. Larger than RECORD_FIELDS_MAX, so that the refusal can name the fields. */
export const RECORD_VALUES_MAX = 10 * RECORD_FIELDS_MAX;
/** The most JSON values in a request body: those of the largest batch. */
export const BODY_VALUES_MAX = BATCH_MAX_RECORDS * (RECORD_FIELDS_MAX + 2);

export const HEADERS_MAX_BYTES = 16 * 1024;
/** A request must arrive completely within this time. */
export const REQUEST_TIMEOUT_MS = 60_000;
/** Requests that still run this long after the shutdown began are aborted. */
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

/** The connections of a process that no request can hold: one, on which /readyz asks whether the database responds. */
export const HEALTH_CONNECTIONS = 1;
/** The connections of the primary for the audit entries of several workers: for the groups, and for held logs. */
export const TRAIL_CONNECTIONS = 2;

/** The connections of a process for the entries of a cluster's shards, and how many of them one node may keep. */
export const SHARD_CONNECTIONS = 4;
export const SHARD_CONNECTIONS_OF_NODE = 2;
/** The most nodes of a cluster that a process has connections of its own to. */
export const NODES_MAX = 128;
/** How long an entry waits before the group of its node waits for the lock of its log. */
export const SHARD_COMMIT_PATIENCE_MS = 50;

/** How long a write waits for a lock on its workspace's clock or log before the response is 503. */
export const LOCK_TIMEOUT_MS = 5_000;
/** The same for requests without a workspace, such as a sign-in, which share few connections. */
export const PEOPLE_LOCK_TIMEOUT_MS = 3_000;
/** How long work waits for a database connection of its process before the response is 503. */
export const TURN_TIMEOUT_MS = 5_000;
/** The same for a write. */
export const WRITE_TURN_TIMEOUT_MS = 10_000;
/** The most work that waits per lane and process. One workspace may have half of it. */
export const TURNS_WAITING_MAX = 2_000;

/** The default statement timeout. */
export const STATEMENT_TIMEOUT_MS = 30_000;
/** The same for statements of bounded cost: lists, records, keys, sessions. */
export const READ_STATEMENT_TIMEOUT_MS = 5_000;
/** The same for statements of the dashboard that take longer: filters of the log, exports, plots. */
export const SLOW_STATEMENT_TIMEOUT_MS = 10_000;
/** The same for a group commit: other workspaces wait for it. */
export const GROUP_STATEMENT_TIMEOUT_MS = 2_000;
/** The same for entries that are written without a group: other workspaces of a failed group wait for it. */
export const HELD_LOG_STATEMENT_TIMEOUT_MS = 1_000;

/** How long a group commit waits for a lock on one workspace's log before it continues without it. */
export const GROUP_COMMIT_LOCK_TIMEOUT_MS = 250;
/** How long entries of a held log wait for its lock before other held logs get a turn. */
export const HELD_LOG_LOCK_TIMEOUT_MS = 100;
/** How long held logs release their connection after none of them could be written. */
export const HELD_LOG_PAUSE_MS = 100;
/** The most entries of one group commit. */
export const GROUP_COMMIT_MAX_ENTRIES = 500;

/**
 * The most rows that a search without an index reads per request. In the worst case, each is on a page of its own, which
 * takes a slow disk a millisecond: 5 s, half of the time limit (docs/decisions/0020).
 */
export const SEARCHED_ROWS_MAX = 5_000;

/** The most rows that the count of a filtered list reads. */
export const COUNTED_ROWS_MAX = 10_000;

/** How often a process counts the usage of the workspaces with new requests. */
export const USAGE_INTERVAL_MS = 1_000;
/** Of many workspaces, one in so many is counted in an interval: ten entries of one cost little more than one entry. */
export const USAGE_ROUNDS = 5;
/** In a cluster, entries are counted once in so many intervals: to count one costs more than to write it. */
export const USAGE_ROUNDS_IN_CLUSTER = 10;
/** How often a process looks for workspaces that are not counted completely, because another process was killed. */
export const USAGE_SEARCH_INTERVAL_MS = 10 * 60_000;
/** The most workspaces, and entries of all of them, that one statement counts. */
export const USAGE_WORKSPACES_MAX = 100;
export const USAGE_ENTRIES_MAX = 10_000;
/** The most entries of one workspace. Few, so that they are counted in time also on a slow machine. */
export const USAGE_ENTRIES_OF_ONE_MAX = 1_000;
/** How long such a statement may take, and may wait for a lock. */
export const USAGE_STATEMENT_TIMEOUT_MS = 1_000;
export const USAGE_LOCK_TIMEOUT_MS = 100;
/** How long a request that shows usage waits until the requests before it are counted. */
export const USAGE_READER_WAIT_MS = 2_000;
/** The most workspaces that wait to be counted, and the most sums of test requests, of which one workspace may have half. */
export const USAGE_WAITING_MAX = 10_000;

/** How long a worker waits for the primary before a 503: longer than for an entry, a connection and a statement together. */
export const PRIMARY_TIMEOUT_MS = 15_000;

/** `Retry-After` of a 503. */
export const UNAVAILABLE_RETRY_SECONDS = 1;

/** Audit-log partitions are created for this many coming months. */
export const PARTITIONS_AHEAD_MONTHS = 3;
/** How long entries of the audit log are kept by default. */
export const LOG_RETENTION_DAYS_DEFAULT = 400;
/** How long changes are kept in the feed by default. */
export const CHANGE_RETENTION_DAYS_DEFAULT = 30;

/** How long hourly traffic is kept: this year, and the previous one for comparison. */
export const TRAFFIC_RETENTION_DAYS = 2 * 366;

/** How long the log of deliveries of webhooks is kept. */
export const DELIVERY_RETENTION_DAYS = 30;

/** The least time between two announcements of changes by a process: at most 50 a second. */
export const SIGNAL_PAUSE_MS = 20;
/** The most workspaces whose announcement waits. Changes of further ones are noticed by the next look at the database. */
export const SIGNALS_WAITING_MAX = 10_000;
/** How often a process looks at the database for changes of the workspaces that it watches, if signals are lost. */
export const SIGNAL_POLL_PAUSE_MS = 3_000;
/** The most workspaces that one statement looks at. */
export const SIGNAL_POLL_WORKSPACES_MAX = 500;

/** The most requests of a process that wait for changes, long polls and streams together. Others keep some connections. */
export const WAITS_MAX = 3_000;
/** The same for one workspace. */
export const WAITS_PER_WORKSPACE_MAX = 1_000;

/** The changes of one page of a stream. Its client must have received them before the next page is read. */
export const STREAM_PAGE_CHANGES = 50;
/** The least time between two reads for a waiting request or a webhook endpoint whose filters leave out what was read. */
export const WAIT_READ_PAUSE_MS = 100;
/** The same for a stream that sends what it reads, for each open wait of the process. Never more than WAIT_READ_PAUSE_MS. */
export const STREAM_READ_PAUSE_MS = 5;
/** The most exports of all workspaces that one process sends at the same time. */
export const EXPORTS_MAX = 100;
/** The most large pages that one process compresses at the same time, in threads. */
export const COMPRESSING_THREADS_MAX = 2;

/** How long a stream that is over waits for a client that does not read. */
export const STREAM_UNREAD_MS = 5_000;
/** A workspace gets no new streams while the entries of so many closed ones wait in the process. */
export const STREAM_ENDS_WAITING_MAX = 1_000;
