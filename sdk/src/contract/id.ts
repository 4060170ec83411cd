import { ID_MAX_CHARACTERS } from './limits.ts';

/**
 * The pattern of an id. The service creates TypeIDs; a writer may choose its own ids. `count` is not an id, because
 * `/v1/audits/count` is the path of a count.
 */
export const ID_PATTERN = `^(?!count$)[A-Za-z0-9_-]{1,${ID_MAX_CHARACTERS}}$`;

/** The rule of {@link ID_PATTERN} for people. */
export const ID_ALLOWED = `1 to ${ID_MAX_CHARACTERS} of A-Z a-z 0-9 _ -, not the word count`;

const PATTERN = new RegExp(ID_PATTERN);

/** The pattern of a Request-Id that a client chooses. */
export const REQUEST_ID_PATTERN = '^[A-Za-z0-9_.:-]{1,128}$';

/** Whether the text can be an id. */
export const isId = (text: string): boolean => PATTERN.test(text);
