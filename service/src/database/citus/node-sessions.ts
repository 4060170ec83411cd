import type { Queryable } from '@svc/turns/lane';
import type pg from 'pg';
import { statement } from '../statement.ts';

/**
 * Makes a pool of one connection to a node of a cluster, `host:port`. It calls `check` with each new session. Undefined: the
 * name leads to another machine here.
 */
export type OpenNode = (node: string, check: (client: Queryable) => Promise<void>) => pg.Pool | undefined;

/** The service cannot use a node of the cluster directly. */
export class UnreachableNodeError extends Error {
  constructor(node: string, cause: unknown) {
    super(`cannot use the node ${node} directly, so the coordinator does`, { cause });
  }
}

/** Reports the first failure, and the first one after a success: a node that cannot be reached is tried again and again. */
export function reportingOnce(
  name: string,
  pool: pg.Pool,
  onError: (error: Error) => void,
): pg.Pool['connect'] {
  let reported = false;
  return (async () => {
    try {
      const client = await pool.connect();
      reported = false;
      return client;
    } catch (error) {
      if (!reported) onError(new UnreachableNodeError(name, error));
      reported = true;
      throw error;
    }
  }) as pg.Pool['connect'];
}

const selectDeployment = statement('deployment_of_node', 'control')`
  select md5(string_agg(fingerprint, ',' order by fingerprint)) as deployment from deployment_secrets`;

/**
 * Throws if the session is on a node of another deployment: the name of a node is that which the coordinator knows, and may
 * be another machine here. A copy of the deployment with the same secrets is not noticed.
 */
export async function requireSameDeployment(client: Queryable, coordinator: Queryable): Promise<void> {
  const read = async (connections: Queryable): Promise<string | null | undefined> => {
    const { rows } = await connections.query<{ deployment: string | null }>(selectDeployment());
    return rows[0]?.deployment;
  };
  const deployment = await read(client);
  if (deployment === null || deployment !== (await read(coordinator)))
    throw new Error('the server with this name is of another deployment when it is reached from here');
}
