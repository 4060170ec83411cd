/** Limits that the service and its clients both know (specification, section 8). Each name ends with its unit. */

export const PAGE_LIMIT_MIN = 1;
export const PAGE_LIMIT_MAX = 100;
export const PAGE_LIMIT_DEFAULT = 50;

/** A cursor older than this gets `cursor_expired`. */
export const CURSOR_LIFETIME_SECONDS = 24 * 60 * 60;

/** Lists with more items have no `pagination.total`. */
export const TOTAL_MAX_ITEMS = 1_000;

export const ID_MAX_CHARACTERS = 64;

/** The longest text to search for. */
export const SEARCH_MAX_CHARACTERS = 100;

/** The largest body of a request that is not a batch. */
export const BODY_MAX_BYTES = 1024 * 1024;

/** The largest batch. */
export const BATCH_MAX_RECORDS = 1_000;
/** The most writes to several resources in one batch. */
export const BATCH_MAX_OPERATIONS = 100;
/** The largest body of a batch. */
export const BATCH_BODY_MAX_BYTES = 8 * 1024 * 1024;

export const IDEMPOTENCY_KEY_MAX_CHARACTERS = 255;
/** How long a repeated Idempotency-Key gets the first response. */
export const IDEMPOTENCY_LIFETIME_SECONDS = 24 * 60 * 60;

/** The longest that a request waits for changes. */
export const WAIT_MAX_SECONDS = 30;
/** The most requests of a key that wait for changes in one process, long polls and streams together. */
export const WAITS_PER_KEY_MAX = 100;

/** The changes of a stream, or the records of an export, that one unit of quota pays for. */
export const ITEMS_PER_UNIT = 100;
/** The most exports of a workspace that one process sends at the same time. */
export const EXPORTS_PER_WORKSPACE_MAX = 3;

/** How often an idle stream sends a comment, so that nothing between it and its client ends the connection. */
export const STREAM_HEARTBEAT_MS = 15_000;
