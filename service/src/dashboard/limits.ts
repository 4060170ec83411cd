/** Every number of the dashboard, each with its unit in its name. */

export const PASSWORD_MIN_CHARACTERS = 10;
export const PASSWORD_MAX_CHARACTERS = 128;
export const EMAIL_MAX_CHARACTERS = 254;
/** Names of people, keys and workspaces. */
export const NAME_MAX_CHARACTERS = 100;

/** A session expires if it is not used for this long, and so does its cookie. */
export const SESSION_LIFETIME_SECONDS = 7 * 24 * 60 * 60;
/** Number of sessions whose person a process remembers, so that the sessions of a person share one queue. */
export const KNOWN_SESSIONS_MAX = 10_000;
/** A request extends a session at most once in this time. */
export const SESSION_REFRESH_SECONDS = 24 * 60 * 60;

/** Failed attempts to sign in from one address by unknown devices. */
export const SIGN_IN_ATTEMPTS_MAX = 10;
export const SIGN_IN_WINDOW_SECONDS = 60;
/** Wrong passwords for one account by all unknown devices, and wrong codes by all known devices. */
export const ACCOUNT_ATTEMPTS_MAX = 30;
export const ACCOUNT_WINDOW_SECONDS = 60 * 60;
/** Wrong codes for one account by all unknown devices. */
export const SECOND_STEP_ATTEMPTS_MAX = 10;
/** Failed attempts of one known device, and of one person in all sessions. */
export const DEVICE_ATTEMPTS_MAX = 10;
export const DEVICE_WINDOW_SECONDS = 15 * 60;
/** How long a device is known after a sign-in with it. */
export const KNOWN_DEVICE_SECONDS = 365 * 24 * 60 * 60;
/** How long a person may take to sign in at the OpenID Connect provider. */
export const OPENID_ATTEMPT_SECONDS = 10 * 60;
/** Parameters of the provider's answer. Codes of some providers have over 1,000 characters. */
export const OPENID_ANSWER_MAX_CHARACTERS = 4096;
/** `Retry-After` if the provider does not respond. */
export const OPENID_RETRY_SECONDS = 5;
/** Requests of one address that only read the session. */
export const AUTH_REQUESTS_MAX = 100;
export const AUTH_WINDOW_SECONDS = 10;

export const SET_UP_LINK_HOURS = 24;
export const SIGN_IN_LINK_HOURS = 1;
export const PASSWORD_RESET_LINK_HOURS = 24;
export const INVITATION_HOURS = 7 * 24;
export const LINK_TOKEN_BYTES = 32;

/** How long an owner can restore a deleted workspace. Its data is removed after that. */
export const WORKSPACE_RESTORE_DAYS = 7;
export const MEMBERS_MAX = 10_000;
/** More than a workspace can have: better-auth creates no more than 100 that are pending. */
export const LISTED_INVITATIONS_MAX = 1_000;
/** Invitations that one person creates: each tells if an address has an account. Enough to invite a company. */
export const INVITATIONS_PER_DAY_MAX = 100;
/** New email addresses of one person. Nobody joins with an earlier one, so one person must not take those of others. */
export const ADDRESSES_PER_DAY_MAX = 3;
/** Workspaces that one person may own. The operator can create more. */
export const OWNED_WORKSPACES_MAX = 100;
/** Live requests per month. */
export const LIVE_QUOTA_MAX = 1_000_000_000_000;
/** Requests per second. */
export const BURST_LIMIT_MAX = 1_000_000;

/** Networks that one key may be used from. */
export const KEY_NETWORKS_MAX = 50;

export const WEBHOOK_URL_MAX_CHARACTERS = 2048;
export const WEBHOOK_DESCRIPTION_MAX_CHARACTERS = 200;

/** Names of companies in one response. */
export const COMPANY_NAMES_MAX = 100;

/** The most records of a resource that the search of a workspace returns. */
export const SEARCH_HITS_MAX = 10;
/** The newest records of a resource that it compares with the text. */
export const SEARCH_NEWEST_MAX = 3_000;

/** Requests of one person in the explorer per second, in all workspaces. */
export const EXPLORER_REQUESTS_PER_SECOND = 10;
export const EXPLORER_PATH_MAX_CHARACTERS = 8_192;
/** Paths that the explorer cannot send: their responses have no bounded length. */
export const UNBOUNDED = /^\/v1\/(?:changes\/stream|[^/]+\/export)$/;
/** The path that it cannot send without a key: it is about the key. */
export const NEEDS_KEY = '/v1/me';
/** Whether a value of the parameter `wait` makes a request wait, which needs a key too. Nothing and 0 do not. */
export const isWait = (wait: string): boolean => Number(wait) !== 0;

export const USAGE_DAYS_DEFAULT = 30;
/** Days of usage that the list of keys shows for each key. */
export const LISTED_USAGE_DAYS = 7;
export const USAGE_DAYS_MAX = 400;
/** Keys that expire, and keys that have expired, with a notice in one response: of each. */
export const KEY_NOTICES_MAX = 50;

export const STYLE_NONCE_BYTES = 16;

export const PATH_FILTER_MAX_CHARACTERS = 2048;
/** Entries that one statement of an export reads. Few, because the entry of a batch can have 67 kB. */
export const EXPORT_PAGE_ENTRIES = 100;

/** Lines of a plot of scores, and points of each line. */
export const SCORE_COMPANIES_MAX = 6;
export const SCORE_SPANS = 60;
/** The last audits of each span, which decide which companies are shown. */
export const SCORE_AUDITS_SAMPLED = 20;

/** The traffic of a range up to this length is shown per hour, that of a longer one per day. */
export const HOURLY_MAX_MS = 7 * 24 * 60 * 60 * 1000;
/** Number of the newest mentions whose sentiments are counted. */
export const MENTIONS_WEIGHED = 1_000;
/** Content items of one status are counted up to this number. If only one status has more, it has the rest of the total. */
export const CONTENT_COUNTED_MAX = 1_000;

/** The limit of common file systems. */
export const FILE_NAME_MAX_CHARACTERS = 255;
/** Size of an imported file, which must arrive within the time limit of a request. For larger files: `svcd import`. */
export const IMPORT_MAX_BYTES = 64 * 1024 * 1024;
/** Refused lines in one response, and the characters of each. */
export const IMPORT_REFUSED_SHOWN = 1_000;
export const IMPORT_TEXT_SHOWN_CHARACTERS = 300;
/** Imports that one process runs at the same time. Each needs about 25 MB of memory. */
export const IMPORTS_MAX = 4;
/** Those of a workspace, and of a person. Two, so that a person can continue one that hangs. */
export const IMPORTS_PER_OWNER_MAX = 2;
/** `Retry-After` of an import that is refused because other imports run. */
export const IMPORT_RETRY_SECONDS = 5;
