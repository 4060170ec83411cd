/**
 * The lines that differ, in their order: with `-` if only `before` has them, with `+` if only `after` has them. Found
 * with the longest common subsequence.
 */
export function lineDiff(before: string, after: string): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const common = commonLengths(old, now);
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  const result: string[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      i++;
      j++;
    } else if (j === now.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) {
      result.push(`- ${old[i++]}`);
    } else {
      result.push(`+ ${now[j++]}`);
    }
  }
  return result;
}

/** `[i][j]`: the length of the longest common subsequence of `old` from line i and `now` from line j. */
function commonLengths(old: readonly string[], now: readonly string[]): readonly (readonly number[])[] {
  const rows: number[][] = [];
  for (let i = old.length - 1; i >= 0; i--) {
    const below = rows[i + 1] ?? [];
    const row: number[] = [];
    for (let j = now.length - 1; j >= 0; j--) {
      row[j] = old[i] === now[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
    rows[i] = row;
  }
  return rows;
}
