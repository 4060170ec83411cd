import type { Feed, FinalWorkspace, History } from '../history.ts';

/** The most ids that are shown, so that one fault does not print ten thousand lines. */
const SHOWN_MAX = 5;

/** Some of the ids, as text. */
export const some = (ids: readonly string[]): string =>
  `${ids.slice(0, SHOWN_MAX).join(', ')}${ids.length > SHOWN_MAX ? ` and ${ids.length - SHOWN_MAX} more` : ''}`;

export function finalOf({ final }: History, workspaceId: string): FinalWorkspace {
  const found = final.find((each) => each.workspaceId === workspaceId);
  if (found === undefined) throw new Error(`the history has no final state of ${workspaceId}`);
  return found;
}

export function feedOf({ feeds }: History, workspaceId: string): Feed {
  const found = feeds.find((each) => each.workspaceId === workspaceId);
  if (found === undefined) throw new Error(`the history has no feed of ${workspaceId}`);
  return found;
}

/** How the changes that a reader has got differ from those that it should have got, by their ids. */
export function sequenceFaults(
  reader: string,
  got: readonly string[],
  expected: readonly { readonly id: string }[],
): readonly string[] {
  const seen = new Set<string>();
  const known = new Set(expected.map(({ id }) => id));
  const repeated: string[] = [];
  for (const id of got) {
    if (seen.has(id)) repeated.push(id);
    seen.add(id);
  }
  const skipped = expected.map(({ id }) => id).filter((id) => !seen.has(id));
  const unknown = got.filter((id) => !known.has(id));
  const misplaced = got.filter((id, i) => id < (got[i - 1] ?? ''));
  return [
    ...(repeated.length > 0 ? [`${reader} repeats ${some(repeated)}`] : []),
    ...(skipped.length > 0 ? [`${reader} skips ${some(skipped)}`] : []),
    ...(unknown.length > 0 ? [`${reader} has changes that are not in the feed: ${some(unknown)}`] : []),
    ...(misplaced.length > 0 ? [`${reader} is out of order at ${some(misplaced)}`] : []),
  ];
}
