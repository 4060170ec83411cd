import type { Queryable } from '../database/lane.ts';
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

interface KeyRow {
  readonly workspace_id: string;
  readonly id: string;
}

const keysOf = (rows: readonly KeyRow[]): readonly EndpointKey[] =>
  rows.map(({ workspace_id, id }) => ({ workspaceId: workspace_id, id }));

/** In the order of the keys, so that two processes that change the same rows do not deadlock. */
function arraysOf(keys: readonly EndpointKey[]): readonly [readonly string[], readonly string[]] {
  const name = ({ workspaceId, id }: EndpointKey): string => `${workspaceId} ${id}`;
  const ordered = keys.toSorted((a, b) => (name(a) < name(b) ? -1 : 1));
  return [ordered.map(({ workspaceId }) => workspaceId), ordered.map(({ id }) => id)];
}

// Two statements: in a cluster, a statement that reads several nodes can lock no rows.
const selectFree = statement('free_endpoints', 'bulk')`
  select workspace_id, id from webhook_endpoints where enabled and lease_until < now()
  order by lease_until limit ${TAKEN_MAX}`;
const takeFree = statement('take_free_endpoints', 'bulk')`
  update webhook_endpoints e set lease_owner = $1, lease_until = now() + ${LEASE_SECONDS} * interval '1 second'
  from unnest($2::text[], $3::text[]) as free (workspace_id, id)
  where e.workspace_id = free.workspace_id and e.id = free.id and e.enabled and e.lease_until < now()
  returning e.workspace_id, e.id`;

/**
 * Takes the leases of endpoints that no process delivers to. Returns them, at most {@link TAKEN_MAX}: fewer if other
 * processes take some at the same time.
 */
export async function takeFreeEndpoints(
  connections: Queryable,
  owner: string,
): Promise<readonly EndpointKey[]> {
  const free = keysOf((await connections.query<KeyRow>(selectFree())).rows);
  if (free.length === 0) return [];
  return keysOf((await connections.query<KeyRow>(takeFree(owner, ...arraysOf(free)))).rows);
}

const renew = statement('renew_leases', 'bulk')`
  update webhook_endpoints e set lease_until = now() + ${LEASE_SECONDS} * interval '1 second'
  from unnest($2::text[], $3::text[]) as held (workspace_id, id)
  where e.workspace_id = held.workspace_id and e.id = held.id
    and e.enabled and e.lease_owner = $1 and e.lease_until > now()
  returning e.workspace_id, e.id`;

/** Renews leases. Returns those that the process still has: the others ended, or their endpoints are disabled or deleted. */
export async function renewLeases(
  connections: Queryable,
  owner: string,
  held: readonly EndpointKey[],
): Promise<readonly EndpointKey[]> {
  const { rows } = await connections.query<KeyRow>(renew(owner, ...arraysOf(held)));
  return keysOf(rows);
}

const releaseDisabled = statement('release_disabled_endpoint', 'request')`
  update webhook_endpoints set lease_until = '-infinity', lease_owner = null
  where workspace_id = $1 and id = $2 and lease_owner = $3 and not enabled`;

/** Gives the lease of an endpoint back that was disabled, so that it is taken up at once when it is enabled. */
export async function releaseDisabledEndpoint(
  connections: Queryable,
  owner: string,
  { workspaceId, id }: EndpointKey,
): Promise<void> {
  await connections.query(releaseDisabled(workspaceId, id, owner));
}

const release = statement('release_leases', 'bulk')`
  update webhook_endpoints set lease_until = '-infinity', lease_owner = null
  where enabled and lease_until > now() and lease_owner = $1`;

/** Gives all leases of a process back, so that another one delivers at once. */
export async function releaseLeases(connections: Queryable, owner: string): Promise<void> {
  await connections.query(release(owner));
}
