const WORD = /[\p{L}\p{N}]+/gu;

/** The words of a text, in lower case and without accents. */
const wordsOf = (text: string): readonly string[] =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().match(WORD) ?? [];

/** Whether each word of the query begins a word of the text. An empty query matches every text. */
export function matches(query: string, text: string): boolean {
  const words = wordsOf(text);
  return wordsOf(query).every((wanted) => words.some((word) => word.startsWith(wanted)));
}
