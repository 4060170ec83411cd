import { ID_MAX_CHARACTERS } from './limits.ts';

/**
 * The pattern of an id. The service creates TypeIDs; a writer may choose its own ids. `count` is not an id, because
 * `/v1/audits/count` is the path of a count.
 */
export const ID_PATTERN = `^(?!count$)[A-Za-z0-9_-]{1,${ID_MAX_CHARACTERS}}$`;

/** The rule of {@link ID_PATTERN} for people. */
export const ID_ALLOWED = `1 to ${ID_MAX_CHARACTERS} of A-Z a-z 0-9 _ -, not the word count`;

/**
 * The pattern of the id of a new record: `/v1/companies/export` and `/v1/companies/batch` are paths too. Records from before
 * this rule can have such an id.
 */
export const NEW_ID_PATTERN = `^(?!(?:count|export|batch)$)[A-Za-z0-9_-]{1,${ID_MAX_CHARACTERS}}$`;

/** The rule of {@link NEW_ID_PATTERN} for people. */
export const NEW_ID_ALLOWED = `1 to ${ID_MAX_CHARACTERS} of A-Z a-z 0-9 _ -, not one of the words count, export and batch`;

const PATTERN = new RegExp(ID_PATTERN);
const NEW_PATTERN = new RegExp(NEW_ID_PATTERN);

/** The pattern of a Request-Id that a client chooses. */
export const REQUEST_ID_PATTERN = '^[A-Za-z0-9_.:-]{1,128}$';

/** Whether the text can be an id. */
export const isId = (text: string): boolean => PATTERN.test(text);

/** Whether the text can be the id of a new record. */
export const isNewId = (text: string): boolean => NEW_PATTERN.test(text);
