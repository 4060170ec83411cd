import type { Queryable } from '@svc/turns/lane';
import { statement } from '../database/statement.ts';

/** A process delivers to an endpoint while it holds its lease. So two processes never deliver to one at the same time. */

/** How long a process that was killed keeps others from its endpoints. */
export const LEASE_SECONDS = 15;
/** The most endpoints that one statement takes. */
const TAKEN_MAX = 500;

/** Names an endpoint. */
export interface EndpointKey {
  readonly workspaceId: string;
  readonly id: string;
}

/**
 * A lease that was taken once. If it ends and the same process takes the endpoint again, that is another lease: what began
 * under the first one may not be recorded.
 */
export interface Lease extends EndpointKey {
  /** `{process} {number of the statement}`. */
  readonly owner: string;
}

interface KeyRow {
  readonly workspace_id: string;
  readonly id: string;
  readonly lease_owner: string;
}

const leasesOf = (rows: readonly KeyRow[]): readonly Lease[] =>
  rows.map(({ workspace_id, id, lease_owner }) => ({ workspaceId: workspace_id, id, owner: lease_owner }));

/** In the order of the keys, so that two processes that change the same rows do not deadlock. */
function ordered<Key extends EndpointKey>(keys: readonly Key[]): readonly Key[] {
  const name = ({ workspaceId, id }: EndpointKey): string => `${workspaceId} ${id}`;
  return keys.toSorted((a, b) => (name(a) < name(b) ? -1 : 1));
}

// The clock was ahead when such a lease was taken. A process that still has it renews it within seconds.
const IS_AHEAD = "lease_until > now() + interval '1 minute'";
// Two statements: in a cluster, a statement that reads several nodes can lock no rows.
const selectFree = statement('free_endpoints', 'bulk')`
  (select workspace_id, id from webhook_endpoints where enabled and lease_until < now()
  order by lease_until limit ${TAKEN_MAX}) union all
  (select workspace_id, id from webhook_endpoints where enabled and ${IS_AHEAD} limit ${TAKEN_MAX})`;
const takeFree = statement('take_free_endpoints', 'bulk')`
  update webhook_endpoints e set lease_owner = $1, lease_until = now() + ${LEASE_SECONDS} * interval '1 second'
  from unnest($2::text[], $3::text[]) as free (workspace_id, id)
  where e.workspace_id = free.workspace_id and e.id = free.id and e.enabled and (e.lease_until < now() or e.${IS_AHEAD})
  returning e.workspace_id, e.id, e.lease_owner`;

/**
 * Takes the leases of endpoints that no process delivers to. Returns them: fewer than are free if there are more
 * than {@link TAKEN_MAX}, or if other processes take some at the same time.
 */
export async function takeFreeEndpoints(connections: Queryable, owner: string): Promise<readonly Lease[]> {
  const free = ordered(leasesOf((await connections.query<KeyRow>(selectFree())).rows));
  if (free.length === 0) return [];
  const [workspaceIds, ids] = [free.map(({ workspaceId }) => workspaceId), free.map(({ id }) => id)];
  return leasesOf((await connections.query<KeyRow>(takeFree(owner, workspaceIds, ids))).rows);
}

const renew = statement('renew_leases', 'bulk')`
  update webhook_endpoints e set lease_until = now() + ${LEASE_SECONDS} * interval '1 second'
  from unnest($1::text[], $2::text[], $3::text[]) as held (workspace_id, id, owner)
  where e.workspace_id = held.workspace_id and e.id = held.id
    and e.enabled and e.lease_owner = held.owner and e.lease_until > now()
  returning e.workspace_id, e.id, e.lease_owner`;

/** Renews leases. Returns those that the process still has: the others ended, or their endpoints are disabled or deleted. */
export async function renewLeases(connections: Queryable, held: readonly Lease[]): Promise<readonly Lease[]> {
  const keys = ordered(held);
  const { rows } = await connections.query<KeyRow>(
    renew(
      keys.map(({ workspaceId }) => workspaceId),
      keys.map(({ id }) => id),
      keys.map(({ owner }) => owner),
    ),
  );
  return leasesOf(rows);
}

const releaseDisabled = statement('release_disabled_endpoint', 'request')`
  update webhook_endpoints set lease_until = '-infinity', lease_owner = null
  where workspace_id = $1 and id = $2 and lease_owner = $3 and not enabled`;

/** Gives the lease of an endpoint back that was disabled, so that it is taken up at once when it is enabled. */
export async function releaseDisabledEndpoint(
  connections: Queryable,
  { workspaceId, id, owner }: Lease,
): Promise<void> {
  await connections.query(releaseDisabled(workspaceId, id, owner));
}

const release = statement('release_leases', 'bulk')`
  update webhook_endpoints set lease_until = '-infinity', lease_owner = null
  where enabled and lease_until > now() and split_part(lease_owner, ' ', 1) = $1`;

/** Gives all leases of a process back, so that another one delivers at once. */
export async function releaseLeases(connections: Queryable, process: string): Promise<void> {
  await connections.query(release(process));
}
