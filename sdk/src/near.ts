const TYPING_ERRORS_MAX = 2;

/** The known word that this one almost is: it begins so, or differs by two characters at most. */
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

/** Characters to add, drop or change between two words (Levenshtein). */
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
