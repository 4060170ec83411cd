/** Every number of the dashboard, each with its unit in its name. */

export const PASSWORD_MIN_CHARACTERS = 10;
export const PASSWORD_MAX_CHARACTERS = 128;
export const EMAIL_MAX_CHARACTERS = 254;
/** Of a person, a key, a workspace. */
export const NAME_MAX_CHARACTERS = 100;

/** A session that is used at least once in this time goes on; the cookie lives as long. */
export const SESSION_LIFETIME_SECONDS = 7 * 24 * 60 * 60;
/** Sessions whose person a process remembers, so that all sessions of a person wait in one line. */
export const KNOWN_SESSIONS_MAX = 10_000;
/** How old a session's expiry may be before a request moves it on. */
export const SESSION_REFRESH_SECONDS = 24 * 60 * 60;

/** Failed attempts to sign in from one address, by devices that are not known for the account. */
export const SIGN_IN_ATTEMPTS_MAX = 10;
export const SIGN_IN_WINDOW_SECONDS = 60;
/** Wrong passwords for one account, by all devices that are not known for it; wrong codes, by all that are known. */
export const ACCOUNT_ATTEMPTS_MAX = 30;
export const ACCOUNT_WINDOW_SECONDS = 60 * 60;
/** Wrong codes for one account, by all devices that are not known for it. */
export const SECOND_STEP_ATTEMPTS_MAX = 10;
/** Failed attempts of one known device, and of one person in their sessions. */
export const DEVICE_ATTEMPTS_MAX = 10;
export const DEVICE_WINDOW_SECONDS = 15 * 60;
/** How long a device is known after a sign-in with it. */
export const KNOWN_DEVICE_SECONDS = 365 * 24 * 60 * 60;
/** Any other request to a path of better-auth. */
export const AUTH_REQUESTS_MAX = 100;
export const AUTH_WINDOW_SECONDS = 10;

export const SET_UP_LINK_HOURS = 24;
export const SIGN_IN_LINK_HOURS = 1;
export const PASSWORD_RESET_LINK_HOURS = 24;
export const INVITATION_HOURS = 7 * 24;
export const LINK_TOKEN_BYTES = 32;

export const MEMBERS_MAX = 10_000;
/** That one person may own. The operator can make more. */
export const OWNED_WORKSPACES_MAX = 100;
/** Live requests a month. */
export const LIVE_QUOTA_MAX = 1_000_000_000_000;
/** Requests a second. */
export const BURST_LIMIT_MAX = 1_000_000;

/** Names of companies in one answer. */
export const COMPANY_NAMES_MAX = 100;

export const USAGE_DAYS_DEFAULT = 30;
export const USAGE_DAYS_MAX = 400;

/** How long a browser may keep a built file whose name changes with its content. */
export const ONE_YEAR_SECONDS = 365 * 24 * 60 * 60;
export const STYLE_NONCE_BYTES = 16;

export const PATH_FILTER_MAX_CHARACTERS = 2048;
/** Entries that one statement of an export reads. */
export const EXPORT_PAGE_ENTRIES = 1_000;

/** Lines of a plot of scores, and the points that each has. */
export const SCORE_COMPANIES_MAX = 6;
export const SCORE_SPANS = 60;

/** In a range up to this the traffic is shown by the hour, in a longer one by the day. */
export const HOURLY_MAX_MS = 7 * 24 * 60 * 60 * 1000;
/** The newest mentions whose sentiments are counted, and the content of one status. */
export const MENTIONS_WEIGHED = 1_000;
export const CONTENT_COUNTED_MAX = 100_000;

/** What file systems allow. */
export const FILE_NAME_MAX_CHARACTERS = 255;
/** Of a file that is imported here; it must arrive within the time of every request. Larger ones: `svcd import`. */
export const IMPORT_MAX_BYTES = 64 * 1024 * 1024;
/** Refused lines that an answer tells of, and how much of each. */
export const IMPORT_REFUSED_SHOWN = 1_000;
export const IMPORT_TEXT_SHOWN_CHARACTERS = 300;
/** Imports that one process runs at once, some 25 MB of memory each: in all, and of one workspace. */
export const IMPORTS_MAX = 4;
export const IMPORTS_PER_WORKSPACE_MAX = 2;
/** `Retry-After` of an import that is refused because others run. */
export const IMPORT_RETRY_SECONDS = 5;
