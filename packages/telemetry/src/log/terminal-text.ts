/** C0 and C1 controls and bidirectional marks: they can change what a terminal shows. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}]/gu;
const UNSAFE_IN_LINES = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

/**
 * Escapes characters that can change a terminal, as JSON does, except line feeds and tabs. For text from files, databases
 * and errors that is printed to a terminal. The value of a JSON text does not change.
 */
export const terminalText = (text: string): string => text.replace(UNSAFE_IN_LINES, escaped);

/** Like `terminalText`, but also escapes line feeds and tabs, so the result is one line. */
export const terminalLine = (text: string): string => text.replace(UNSAFE, escaped);

const escaped = (character: string): string =>
  character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
