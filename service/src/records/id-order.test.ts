import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { importText, ndjson, workspaceWith } from '../../test/harness/import.ts';
import { inTransaction } from '../database/pool.ts';
import { audits } from '../resources/index.ts';
import { insertRecords } from './insert.ts';

const { pool } = await createTestDatabase();
const RANK_BYTES = 5;
const audit = { companyId: 'c1', headlineScore: 7, completedAt: '2026-03-01T09:30:00Z' };

const insert = (workspaceId: string, ids: readonly (string | undefined)[]) =>
  inTransaction(pool, (client) =>
    insertRecords(
      client,
      workspaceId,
      audits,
      ids.map((id) => (id === undefined ? audit : { ...audit, id })),
    ),
  );

/** Inserts as a node of version 0.1.0 does. */
const insertWithoutOrder = (workspaceId: string, ids: readonly string[]) =>
  pool.query(
    `insert into audits (workspace_id, id, company_id, headline_score, completed_at, created_at, doc)
     select $1, id, 'c1', 7, now(), now(), '{}' from unnest($2::text[]) id on conflict do nothing`,
    [workspaceId, ids],
  );

/** The ids in both orders, and how many bytes each id_order has. */
async function ordersOf(workspaceId: string) {
  const { rows } = await pool.query<{ byId: string[]; byOrder: string[]; bytes: number[] }>(
    `select array_agg(id order by id) as "byId", array_agg(id order by id_order) as "byOrder",
       array_agg(length(id_order) order by id) as bytes
     from audits where workspace_id = $1 having count(distinct id_order) = count(*)`,
    [workspaceId],
  );
  return rows[0] ?? { byId: [], byOrder: ['not unique, or empty'], bytes: [] };
}

test('id_order sorts like the id, whatever the order of the inserts, also those of a node without it', async () => {
  const id = fc.string({ unit: fc.constantFrom(...'AZaz09_-'), minLength: 1, maxLength: 4 });
  const write = fc.record({ old: fc.boolean(), ids: fc.array(id, { minLength: 1, maxLength: 6 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 8 }), async (writes) => {
      const workspaceId = await workspaceWith(pool, 'c1');
      for (const { old, ids } of writes) await (old ? insertWithoutOrder : insert)(workspaceId, ids);
      const { byId, byOrder } = await ordersOf(workspaceId);
      expect(byOrder).toEqual(byId);
      expect(byId).toEqual([...new Set(writes.flatMap(({ ids }) => ids))].toSorted());
    }),
    { numRuns: 40 },
  );
});

test('an id after all others has only a rank: in one batch, in many, and if the service creates it', async () => {
  const workspaceId = await workspaceWith(pool, 'c1');
  await insert(workspaceId, ['B', 'A', 'C']);
  await insert(workspaceId, ['D']);
  await insert(workspaceId, ['E', undefined]);
  const { byId, byOrder, bytes } = await ordersOf(workspaceId);
  expect(byOrder).toEqual(byId);
  expect(new Set(bytes)).toEqual(new Set([RANK_BYTES]));
  await insert(workspaceId, ['BB']);
  expect((await ordersOf(workspaceId)).bytes.filter((bytes) => bytes > RANK_BYTES)).toEqual([
    RANK_BYTES + 'BB'.length,
  ]);
});

test('a parallel import keeps the order, also if its batches are not in the order of their ids', async () => {
  const workspaceId = await workspaceWith(pool, 'c1');
  const name = (n: number): string => `a${String(n).padStart(6, '0')}`;
  const rising = Array.from({ length: 9_000 }, (_, n) => ({ ...audit, id: name(2 * n) }));
  const mixed = Array.from({ length: 9_000 }, (_, n) => ({
    ...audit,
    id: name(2 * ((n * 7_919) % 9_000) + 1),
  }));
  await importText(pool, workspaceId, 'audits', ndjson(rising), { parallel: true });
  expect(new Set((await ordersOf(workspaceId)).bytes)).toEqual(new Set([RANK_BYTES]));
  await importText(pool, workspaceId, 'audits', ndjson(mixed), { parallel: true });
  const { byId, byOrder } = await ordersOf(workspaceId);
  expect(byId).toHaveLength(18_000);
  expect(byOrder).toEqual(byId);
});
