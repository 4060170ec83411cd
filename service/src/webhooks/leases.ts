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

const LEASE = 'e.workspace_id as "workspaceId", e.id, e.lease_owner as owner';
const LEASE_UNTIL = `lease_until = now() + ${LEASE_SECONDS} * interval '1 second'`;
const IS_NAMED = 'e.workspace_id = named.workspace_id and e.id = named.id';

/** Only rows that no transaction has locked: one of them does not hold up all. An array, so that they are locked once. */
const unlocked = (named: string, condition: string): string => `where e.ctid = any (array(
    select e.ctid from ${named} join webhook_endpoints e on ${condition} for no key update of e skip locked
  ))`;

// The clock was ahead when such a lease was taken. A process that still has it renews it within seconds.
const IS_AHEAD = "lease_until > now() + interval '1 minute'";
// In the order of the keys, so that two processes that take the same endpoints do not deadlock.
const selectFree = statement('free_endpoints', 'bulk')`
  (select workspace_id as "workspaceId", id from webhook_endpoints where enabled and lease_until < now()
  order by lease_until limit ${TAKEN_MAX}) union all
  (select workspace_id, id from webhook_endpoints where enabled and ${IS_AHEAD} limit ${TAKEN_MAX}) order by 1, 2`;
const FREE = 'unnest($2::text[], $3::text[]) as named (workspace_id, id)';
const IS_FREE = `${IS_NAMED} and e.enabled and (e.lease_until < now() or e.${IS_AHEAD})`;
const take = (rows: string): string =>
  `update webhook_endpoints e set lease_owner = $1, ${LEASE_UNTIL} ${rows} returning ${LEASE}`;
const takeFree = statement('take_free_endpoints', 'bulk')`${take(unlocked(FREE, IS_FREE))}`;
// In a cluster, a statement over several nodes cannot leave out locked rows, and waits for them.
const takeFreeInCluster = statement('take_free_in_cluster', 'bulk')`${take(`from ${FREE} where ${IS_FREE}`)}`;

/**
 * Takes the leases of endpoints that no process delivers to. Returns them: fewer than are free if there are more
 * than {@link TAKEN_MAX}, or if other processes take or change some at the same time.
 */
export async function takeFreeEndpoints(connections: Queryable, owner: string, inCluster: boolean) {
  const { rows: free } = await connections.query<EndpointKey>(selectFree());
  if (free.length === 0) return [];
  const [workspaceIds, ids] = [free.map(({ workspaceId }) => workspaceId), free.map(({ id }) => id)];
  const statementOf = inCluster ? takeFreeInCluster : takeFree;
  return (await connections.query<Lease>(statementOf(owner, workspaceIds, ids))).rows;
}

const HELD = 'unnest($1::text[], $2::text[], $3::text[]) as named (workspace_id, id, owner)';
const IS_HELD = `${IS_NAMED} and e.enabled and e.lease_owner = named.owner and e.lease_until > now()`;
const renew = statement('renew_leases', 'bulk')`
  with renewed as (
    update webhook_endpoints e set ${LEASE_UNTIL} ${unlocked(HELD, IS_HELD)} returning e.workspace_id, e.id
  ) select ${LEASE}, (e.workspace_id, e.id) in (select workspace_id, id from renewed) as renewed
  from ${HELD} join webhook_endpoints e on ${IS_HELD}`;
const renewInCluster = statement('renew_leases_in_cluster', 'bulk')`
  update webhook_endpoints e set ${LEASE_UNTIL} from ${HELD} where ${IS_HELD} returning ${LEASE}, true as renewed`;

/**
 * Renews leases. Returns those that the process still has: the others ended, or their endpoints are disabled or deleted.
 * Those that are not `renewed` have an endpoint that another transaction has locked.
 */
export async function renewLeases(connections: Queryable, held: readonly Lease[], inCluster: boolean) {
  const { rows } = await connections.query<Lease & { readonly renewed: boolean }>(
    (inCluster ? renewInCluster : renew)(
      held.map(({ workspaceId }) => workspaceId),
      held.map(({ id }) => id),
      held.map(({ owner }) => owner),
    ),
  );
  return rows;
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
