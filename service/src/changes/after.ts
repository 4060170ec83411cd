import type { Queryable } from '../database/lane.ts';
import { changeIdOf, timeOfChange } from './id.ts';
import { endOf } from './list.ts';
import { isExpired, readNewest } from './rows.ts';
import { type ChangeFilter, scanChanges } from './scan.ts';

/** The changes after a position, in the order of their commits. */
export interface ChangesAfter {
  readonly items: readonly { readonly id: string; readonly type: string; readonly json: string }[];
  /** Up to where the items are complete. */
  readonly position: string;
  /** Whether there may be more. */
  readonly more: boolean;
}

interface Wanted extends ChangeFilter {
  /** A position, such as the id of a change. */
  readonly after: string;
  readonly limit: number;
}

/**
 * Reads the next changes. Returns `expired` if the feed no longer has all of them, or if the position is from before the
 * database was restored. Throws if the position is not of the workspace.
 */
export async function readChangesAfter(
  connections: Queryable,
  workspaceId: string,
  { after, limit, ...filter }: Wanted,
): Promise<ChangesAfter | 'expired'> {
  const at = timeOfChange(workspaceId, after);
  if (at === undefined) throw new Error('The position is not of this workspace.');
  const start = { at, inclusive: false };
  const scan = { ...filter, workspaceId, ascending: true, start, limit: limit + 1 };
  const scanned = await scanChanges(connections, scan);
  if (isExpired(at, scanned)) return 'expired';
  return {
    items: scanned.items.slice(0, limit),
    position: changeIdOf(workspaceId, endOf(scanned, limit, at) ?? at),
    more: scanned.stopped || scanned.items.length > limit,
  };
}

/** The position after all changes so far. */
export const newestPosition = async (connections: Queryable, workspaceId: string): Promise<string> =>
  changeIdOf(workspaceId, await readNewest(connections, workspaceId));
