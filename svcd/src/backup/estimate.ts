import { statement } from '@svc/service/database/statement';
import { withPool } from '../pool.ts';

const selectEstimate = statement('estimate_rows', 'control')`
  select coalesce(sum(greatest(reltuples, 0)), 0)::float8 as rows from pg_class
  where relnamespace = current_schema()::regnamespace and relkind = 'r'`;

/** About how many rows the tables of a database have, by its statistics. `name` is that of the connection. */
export async function estimateRows(url: string, name: string): Promise<number> {
  const { rows } = await withPool({ url, max: 1, name }, (pool) =>
    pool.query<{ rows: number }>(selectEstimate()),
  );
  return rows[0]?.rows ?? 0;
}
