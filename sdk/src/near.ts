const TYPING_ERRORS_MAX = 2;

/**
 * The known word that starts with `word` or differs from it by at most two characters; undefined if there is none.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const distances = known.map((candidate) => ({
    candidate,
    typos: candidate.startsWith(word) ? 0 : distance(word.toLowerCase(), candidate.toLowerCase()),
  }));
  const [best] = distances.sort((a, b) => a.typos - b.typos);
  return best !== undefined && best.typos <= Math.min(TYPING_ERRORS_MAX, word.length - 1)
    ? best.candidate
    : undefined;
}

/** The number of characters to add, remove or replace to turn one word into the other (Levenshtein distance). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, character] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const changed = (row[j] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
