/** The text of an API key (specification, section 5). */

/** The prefix of a token, by the mode of its key. */
export const TOKEN_PREFIXES = { live: 'svc_live_', test: 'svc_test_' } as const;

/** How many URL-safe random characters follow the prefix. */
export const TOKEN_RANDOM_CHARACTERS = 32;

/** A regular expression that finds a token in a text. Its first group is the prefix. */
export const TOKEN_PATTERN = `(${Object.values(TOKEN_PREFIXES).join('|')})[A-Za-z0-9_-]{${TOKEN_RANDOM_CHARACTERS}}`;

const TOKEN = new RegExp(`^${TOKEN_PATTERN}$`);
const TOKEN_ANYWHERE = new RegExp(TOKEN_PATTERN);

/** Whether the text is a token. It may still be unknown or revoked. */
export const isToken = (text: string): boolean => TOKEN.test(text);

/** Whether the text contains a token. */
export const containsToken = (text: string): boolean => TOKEN_ANYWHERE.test(text);
