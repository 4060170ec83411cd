import type { Copy, FinalWorkspace, History } from '../history.ts';

const SHOWN_MAX = 5;

const some = (ids: readonly string[]): string =>
  `${ids.slice(0, SHOWN_MAX).join(', ')}${ids.length > SHOWN_MAX ? ` and ${ids.length - SHOWN_MAX} more` : ''}`;

/** A copy that was maintained with the feed equals its source, byte for byte, and each change came once, in order. */
export const checkCopies = (history: History): readonly string[] =>
  history.copies.flatMap((copy) => {
    const final = history.final.find(({ workspaceId }) => workspaceId === copy.workspaceId);
    if (final === undefined) throw new Error(`the history has no final state of ${copy.workspaceId}`);
    const { changes, expired } = copy;
    const violations = expired ? ['a position of the feed expired'] : [];
    if (new Set(changes).size < changes.length) violations.push('a change was delivered twice');
    const at = changes.findIndex((id, i) => i > 0 && id <= (changes[i - 1] ?? ''));
    if (at !== -1) violations.push(`the feed is out of order at ${changes[at]}`);
    return [...violations, ...differences(copy, final)];
  });

const differences = ({ records }: Copy, final: FinalWorkspace): readonly string[] =>
  (['audits', 'content'] as const).flatMap((name) => {
    const copied = records[name];
    const stored = new Map(final[name].map(({ id, doc }) => [id, JSON.stringify(JSON.parse(doc))]));
    const missing = [...stored.keys()].filter((id) => !copied.has(id));
    const gone = [...copied.keys()].filter((id) => !stored.has(id));
    const stale = [...stored].filter(([id, doc]) => copied.has(id) && copied.get(id) !== doc);
    return [
      ...(missing.length > 0 ? [`a copy of ${name} lacks ${some(missing)}`] : []),
      ...(gone.length > 0 ? [`a copy of ${name} still has ${some(gone)}`] : []),
      ...(stale.length > 0 ? [`a copy of ${name} has an old ${some(stale.map(([id]) => id))}`] : []),
    ];
  });
