/** C0 and C1 controls, and marks that turn the direction of text: with them a text can change what a terminal shows. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}]/gu;
const UNSAFE_IN_LINES = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

/**
 * Text of files, databases and errors as a terminal may get it: such characters are escaped as in JSON. So JSON stays the
 * same JSON. Line feeds and tabs stay.
 */
export const terminalText = (text: string): string => text.replace(UNSAFE_IN_LINES, escaped);

/** The same on one line. */
export const terminalLine = (text: string): string => text.replace(UNSAFE, escaped);

const escaped = (character: string): string =>
  character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
