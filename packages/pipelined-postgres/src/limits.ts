/**
 * The limits of a pipelined connection (docs/decisions/0016). Each name ends with its unit.
 */

/** The time limits of the session. A statement that reaches one runs elsewhere. */
export const STATEMENT_TIMEOUT_MS = 250;
export const LOCK_TIMEOUT_MS = 100;
/** The connection is closed if the server sends nothing for this long although statements wait. */
export const ANSWER_TIMEOUT_MS = 1_000;
/** How long statements wait for a new connection before they run elsewhere. */
export const OPEN_TIMEOUT_MS = 1_000;

/** The most statements on the connection: of all owners, and of one. */
export const STATEMENTS_MAX = 64;
export const STATEMENTS_PER_OWNER_MAX = 16;

/** The time of the connection that an owner may use for each statement without owing it. */
export const FREE_MS = 5;
/** The most that an owner may owe. */
export const OWED_MAX_MS = 150;
/** The most that one statement adds, because its time may be that of a busy process. */
export const CHARGE_MAX_MS = 100;
/** How long an owner or a statement that has closed the connection runs elsewhere. */
export const AVOIDED_MS = 60_000;
/** The most owners and statements that are remembered. */
export const REMEMBERED_MAX = 1_000;

/** How often within CALM_MS the connection is opened again at once. Then the pauses grow. */
export const FAILURES_MAX = 5;
export const CALM_MS = 60_000;
export const PAUSE_MIN_MS = 1_000;
export const PAUSE_MAX_MS = 30_000;
