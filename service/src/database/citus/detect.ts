import type { Queryable } from '@svc/turns/lane';
import { preparedStatement } from '../statement.ts';

const selectCitus = preparedStatement('has_citus', 'control')`
  select to_regclass('pg_dist_partition') is not null as found`;
const selectDistributed = preparedStatement('log_is_distributed', 'control')`
  select exists (
    select from pg_dist_partition where logicalrelid = 'live_meters'::regclass and partkey is not null
  ) as found`;

/** Says whether the tables are distributed over the workers of a cluster of Citus. */
export type IsDistributed = (connections: Queryable) => Promise<boolean>;

/** Asks the database once: a service is not running while its tables are distributed. */
export function detectDistribution(): IsDistributed {
  let known: boolean | undefined;
  const isFound = async (connections: Queryable, query: ReturnType<typeof selectCitus>): Promise<boolean> =>
    (await connections.query<{ found: boolean }>(query)).rows[0]?.found === true;
  return async (connections) => {
    known ??=
      (await isFound(connections, selectCitus())) && (await isFound(connections, selectDistributed()));
    return known;
  };
}
