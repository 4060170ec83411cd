import type { CommitMonitor } from '@svc/telemetry/commits';
import type { Queryable } from '@svc/turns/lane';
import { NO_LOG } from './append-requests.ts';
import { type Group, type Pending, rejectAll, settle } from './audit-queue.ts';
import type { Patience, WriteRequests } from './audited-request.ts';

/** What a statement has written of a group. */
interface WrittenGroup {
  /** Settles the requests. Call it after the commit. */
  readonly settle: () => void;
  /** The requests of the workspaces for which nothing is written. */
  readonly left: Group;
  /** Those of them whose requests must be checked. The logs of the others are held. */
  readonly stale: ReadonlySet<string>;
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
  const stale = new Set<string>();
  const written: (() => void)[] = [];
  const committed: Pending[] = [];
  for (const [workspaceId, pending] of group) {
    const result = results.get(workspaceId);
    if (result === 'stale') stale.add(workspaceId);
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
  return { left, stale, settle: settleAll };
}
