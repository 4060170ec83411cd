import type { Micros } from '@svc/exact-times/micros';
import type { Queryable } from '@svc/turns/lane';
import { changeIdOf, timeOfChange } from './id.ts';
import { endOf } from './list.ts';
import { isExpired, readNewest, readRows } from './rows.ts';
import { type ChangeFilter, type ScannedChanges, scanChanges } from './scan.ts';

/** The changes after a position, in the order of their commits. */
export interface ChangesAfter {
  readonly items: ScannedChanges['items'];
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

/** Where the feed has everything since a time, for a reader that is at another position. */
interface PositionBefore {
  /** The position from which the feed has every change at this time or later. Undefined: it no longer has all of them. */
  readonly before: string | undefined;
  /** The time after which the feed is complete. */
  readonly completeAfter: Micros;
  /** Whether the feed cannot be read from the reader's position. */
  readonly readerExpired: boolean;
}

/** Finds the position before a time. Throws if the reader's position is not of the workspace. */
export async function positionBefore(
  connections: Queryable,
  workspaceId: string,
  time: Micros,
  reader: string,
): Promise<PositionBefore> {
  const readerAt = timeOfChange(workspaceId, reader);
  if (readerAt === undefined) throw new Error('The position is not of this workspace.');
  const at = Math.max(0, time - 1);
  const start = { at, inclusive: false };
  const read = await readRows(connections, {
    workspaceId,
    ascending: true,
    start,
    changes: 1,
    searches: false,
  });
  const { newest, completeAfter } = read;
  return {
    before: at < completeAfter ? undefined : changeIdOf(workspaceId, Math.min(at, newest)),
    completeAfter,
    readerExpired: isExpired(readerAt, read),
  };
}

/** The position after all changes so far. */
export const newestPosition = async (connections: Queryable, workspaceId: string): Promise<string> =>
  changeIdOf(workspaceId, await readNewest(connections, workspaceId));
