import type { DatabaseFigures } from '@svc/telemetry/database';
import type { Queryable } from '@svc/turns/lane';
import { statement } from '../database/statement.ts';

/** The most webhooks that are counted. Those of a disabled endpoint wait until somebody enables it, so they do not count. */
const PENDING_MAX = 100_000;

const figures = statement('deployment_figures', 'background: once a minute, all workspaces and endpoints')`
  select pg_database_size(current_database()) as "databaseBytes", e.*, p.*, u.*
  from (select count(*) as endpoints, count(failing_since) as "failingEndpoints" from webhook_endpoints where enabled) e,
    (select count(*) as "pendingDeliveries",
      coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestPendingSeconds"
      from (select d.created_at from webhook_endpoints e
        join webhook_deliveries d on d.workspace_id = e.workspace_id and d.endpoint_id = e.id
        where e.enabled and d.state = 'pending' limit ${PENDING_MAX}) pending) p,
    (select count(*) as "uncountedWorkspaces" from usage_marks join live_meters using (workspace_id)
      where last_entry_at > counted_until) u`;

/** Reads what `/metrics` says about the whole deployment. */
export async function readFigures(connections: Queryable): Promise<DatabaseFigures> {
  const { rows } = await connections.query<DatabaseFigures>(figures());
  const [row] = rows;
  if (row === undefined) throw new Error('The figures have no row.');
  return row;
}
