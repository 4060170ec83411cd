import { changeIdOf, timeOfChange } from '../changes/id.ts';
import { endOf } from '../changes/list.ts';
import { readNewest } from '../changes/rows.ts';
import { scanChanges } from '../changes/scan.ts';
import type { Queryable } from '../database/lane.ts';
import type { Endpoint } from './endpoints.ts';

/** The changes after a position, in the order of their commits. */
export interface ChangesAfter {
  readonly items: readonly { readonly id: string; readonly type: string; readonly json: string }[];
  /** Up to where the items are complete. */
  readonly position: string;
  /** Whether there may be more. */
  readonly more: boolean;
}

type Wanted = Pick<Endpoint, 'companyId' | 'types'> & { readonly after: string; readonly limit: number };

/**
 * Reads the changes after a position that an endpoint gets. Returns `expired` if the feed no longer has all of them. Throws
 * if the position is not of the workspace.
 */
export async function readChangesAfter(
  connections: Queryable,
  workspaceId: string,
  { after, limit, companyId, types }: Wanted,
): Promise<ChangesAfter | 'expired'> {
  const from = timeOfChange(workspaceId, after);
  if (from === undefined) throw new Error('the position is not of this workspace');
  const scanned = await scanChanges(connections, {
    workspaceId,
    ascending: true,
    start: { at: from, inclusive: false },
    limit: limit + 1,
    ...(companyId === null ? {} : { companyId }),
    ...(types === null ? {} : { types }),
  });
  if (from < scanned.completeAfter) return 'expired';
  const end = endOf(scanned, limit, from) ?? from;
  return {
    items: scanned.items.slice(0, limit),
    position: changeIdOf(workspaceId, end),
    more: scanned.items.length > limit || scanned.stopped,
  };
}

/** The position after all changes so far. */
export const newestPosition = async (connections: Queryable, workspaceId: string): Promise<string> =>
  changeIdOf(workspaceId, await readNewest(connections, workspaceId));
