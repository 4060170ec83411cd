import { latencyBucket } from '@svc/latency-buckets';
import { preparedStatement } from '../database/statement.ts';
import type { NotWritten, Outcome, WriteRequests } from './audited-request.ts';
import { entryDoc } from './entry.ts';

interface WrittenRow {
  /** Of the request, from 1. 0: the row is about a workspace for which nothing is written. */
  readonly position: number;
  readonly workspace_id: string;
  readonly granted: boolean;
  readonly used: number;
  readonly live_quota: number | null;
  readonly not_written: NotWritten | null;
}

/** Calls the function of the database. Citus runs the call on the node of the workspace $1. */
const callFunction = preparedStatement('write_checked_requests', 'bulk')`
  select place as position, workspace as workspace_id, granted, used, quota::bigint as live_quota, reason as not_written
  from write_requests($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;

/**
 * Writes requests after a check of the key and the quota of each; it does not use their validity. A function of the database
 * locks one log after the other. In a cluster of Citus, all workspaces must be on one node. Outside of a transaction, it is
 * one call and one commit there. In a transaction, the coordinator runs the function, and its statements run on the node.
 */
export const writeChecked: WriteRequests = async (client, group, { waitFor, lockTimeoutMs }) => {
  const [anchor] = group.keys();
  const requests = [...group.values()].flat();
  const docs = requests.map(({ entry }) => (entry === null ? null : entryDoc(entry)));
  const { rows } = await client.query<WrittenRow>(
    callFunction(
      anchor,
      waitFor ?? null,
      requests.map(({ workspaceId }) => workspaceId),
      requests.map(({ keyId }) => keyId),
      requests.map(({ tokenVersion }) => tokenVersion),
      docs.map((doc) => doc?.id ?? null),
      docs.map((doc) => doc?.head ?? null),
      docs.map((doc) => doc?.tail ?? null),
      requests.map(({ counted }) => counted),
      requests.map(({ entry }) => entry?.status ?? null),
      requests.map(({ entry }) => entry?.method ?? null),
      requests.map(({ entry }) => entry?.path ?? null),
      requests.map(({ durationMs }) => latencyBucket(durationMs)),
      String(lockTimeoutMs),
    ),
  );
  const outcomes: Outcome[] = requests.map(() => ({ result: 'invalid_key' }));
  const results = new Map<string, readonly Outcome[] | NotWritten>();
  for (const { position, workspace_id, granted, used, live_quota, not_written } of rows) {
    if (not_written !== null) results.set(workspace_id, not_written);
    const quota = live_quota === null ? null : { limit: live_quota, used };
    if (position > 0) {
      outcomes[position - 1] =
        granted || quota === null ? { result: 'recorded', quota } : { result: 'over_quota', quota };
    }
  }
  let end = 0;
  for (const [workspaceId, { length }] of group) {
    const start = end;
    end += length;
    if (!results.has(workspaceId)) results.set(workspaceId, outcomes.slice(start, end));
  }
  return results;
};

/** The same for requests whose validity is out of date: their keys should be read again. */
export const writeStale: WriteRequests = async (...group) => {
  const results = await writeChecked(...group);
  const asStale = (outcome: Outcome): Outcome =>
    outcome.result === 'recorded' ? { ...outcome, isStale: true } : outcome;
  return new Map(
    [...results].map(([id, result]) => [id, typeof result === 'object' ? result.map(asStale) : result]),
  );
};
