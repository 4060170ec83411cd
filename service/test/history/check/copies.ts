import { type Copy, type FinalWorkspace, type History, wantedBy } from '../history.ts';
import { feedOf, finalOf, sequenceFaults, some } from './sequence.ts';

/** A copy that was maintained with the feed equals its source, byte for byte, and each change came once, in order. */
export const checkCopies = (history: History): readonly string[] =>
  history.copies.flatMap((copy) => {
    const { workspaceId, by, after, changes, expired } = copy;
    const wanted = wantedBy({ types: null, after }, feedOf(history, workspaceId));
    return [
      ...(expired ? ['a position of the feed expired'] : []),
      ...sequenceFaults(`the feed by ${by}`, changes, wanted),
      ...differences(copy, finalOf(history, workspaceId)),
    ];
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
