import { preparedStatement } from '../../database/statement.ts';
import { type WriteRequests, writeWith } from '../append-requests.ts';

/** Calls the function of the database. Citus runs the call on the node of the workspace $1. */
const callFunction = preparedStatement('write_requests_in_shard', 'bulk')`
  select place as position, workspace as workspace_id, granted, used, quota::bigint as live_quota, reason as not_written
  from write_requests($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;

/**
 * Does what `writeRequests` does in a cluster of Citus, for workspaces that are on one node. Outside of a transaction, it is
 * one call and one commit there. In a transaction, the coordinator runs the function, and its statements run on the node.
 */
export const writeRequestsInShard: WriteRequests = (client, group, patience) => {
  const [anchor] = group.keys();
  return writeWith(client, group, patience, (waitFor, requests, timeout) =>
    callFunction(anchor, waitFor, ...requests, timeout),
  );
};
