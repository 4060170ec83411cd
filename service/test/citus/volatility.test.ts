import { expect, test } from 'vitest';
import { createTestDatabase } from '../harness/database.ts';
import { FUNCTIONS } from './volatility.ts';

const database = await createTestDatabase();

test('PostgreSQL says that the functions are as volatile as the checker takes them', async () => {
  const { rows } = await database.pool.query(
    `select name, case provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end as volatility
     from unnest($1::text[], $2::text[]) as f (name, signature) join pg_proc on oid = signature::regprocedure order by name`,
    [Object.keys(FUNCTIONS), Object.values(FUNCTIONS).map(([signature]) => signature)],
  );
  expect(rows).toEqual(
    Object.entries(FUNCTIONS)
      .map(([name, [, volatility]]) => ({ name, volatility }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
});
