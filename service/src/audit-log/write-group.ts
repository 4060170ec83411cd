import type { CommitMonitor } from '@svc/telemetry/commits';
import type { Queryable } from '@svc/turns/lane';
import { NO_LOG, type Patience, type WriteRequests } from './append-requests.ts';
import { type Group, type Pending, rejectAll, settle } from './audit-queue.ts';

/** What a statement has written of a group. */
interface WrittenGroup {
  /** Settles the requests. Call it after the commit. */
  readonly settle: () => void;
  /** The requests of the workspaces for which nothing is written: their logs are held, or their keys have changed. */
  readonly left: Group;
}

/** Writes a group. If it fails, nothing of the group is written. */
export async function writeGroup(
  write: WriteRequests,
  connection: Queryable,
  group: Group,
  patience: Patience,
  monitor?: CommitMonitor,
): Promise<WrittenGroup> {
  const startMs = performance.now();
  const results = await write(connection, group, patience);
  const left = new Map<string, readonly Pending[]>();
  const written: (() => void)[] = [];
  const committed: Pending[] = [];
  for (const [workspaceId, pending] of group) {
    const result = results.get(workspaceId);
    if (result === 'held' || result === 'stale') left.set(workspaceId, pending);
    else if (typeof result === 'object') {
      written.push(() => settle(pending, result));
      committed.push(...pending);
    } else written.push(() => rejectAll(new Map([[workspaceId, pending]]), new Error(NO_LOG)));
  }
  const settleAll = (): void => {
    if (committed.length > 0) monitor?.committed(committed, startMs);
    for (const each of written) each();
  };
  return { left, settle: settleAll };
}
