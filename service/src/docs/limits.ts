/** How long a browser may keep a file whose name changes with its content. */
export const ONE_YEAR_SECONDS = 365 * 24 * 60 * 60;
/** Characters of a file's hash in its name. */
export const HASH_CHARACTERS = 12;
