import type { Queryable } from '../database/lane.ts';
import { changeIdOf, timeOfChange } from './id.ts';
import { endOf } from './list.ts';
import { type ChangeFilter, type ChangeItem, scanChanges } from './scan.ts';

interface AfterRead extends ChangeFilter {
  /** The id of a change, or a position. */
  readonly after: string;
  readonly limit: number;
}

/** The changes after a position. */
interface ChangesAfter {
  readonly items: readonly ChangeItem[];
  /** Where the next read begins: each wanted change up to there is in `items`. */
  readonly position: string;
  /** Whether there can be more. */
  readonly more: boolean;
}

/** Reads the next changes in the order of the commits. Undefined: the position is none of the workspace, or has expired. */
export async function readChangesAfter(
  connections: Queryable,
  workspaceId: string,
  { after, limit, ...filter }: AfterRead,
): Promise<ChangesAfter | undefined> {
  const at = timeOfChange(workspaceId, after);
  if (at === undefined) return undefined;
  const start = { at, inclusive: false };
  const scan = { ...filter, workspaceId, ascending: true, start, limit: limit + 1 };
  const scanned = await scanChanges(connections, scan);
  // A position after the newest change is from before the database was restored.
  if (at < scanned.completeAfter || at > scanned.newest) return undefined;
  return {
    items: scanned.items.slice(0, limit),
    position: changeIdOf(workspaceId, endOf(scanned, limit, at) ?? at),
    more: scanned.stopped || scanned.items.length > limit,
  };
}
