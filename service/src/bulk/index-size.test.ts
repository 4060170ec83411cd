import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { auditOf, importText, ndjson, workspaceWith } from '../../test/harness/import.ts';

const { pool } = await createTestDatabase();
const NEIGHBOURS = 21;
const AUDITS = 30_000;

async function bytesOf(index: string): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>('select pg_relation_size($1)::int as bytes', [index]);
  return rows[0]?.bytes ?? 0;
}

test.each([
  // An entry takes 76 bytes of a full page; if all pages are split in halves, 152.
  { index: 'audits_pkey', order: 'id', most: 90 },
  // 36 and 72 bytes.
  { index: 'audits_by_created', order: 'hashtextextended(id, 0)', most: 45 },
])('an import between other workspaces fills the pages of $index', async ({ index, order, most }) => {
  const ids = await Promise.all(Array.from({ length: NEIGHBOURS }, () => workspaceWith(pool, 'c1')));
  for (const id of ids) await importText(pool, id, 'audits', ndjson([auditOf('a')]));
  const { rows } = await pool.query<{ id: string }>(
    `select id from workspaces where id = any($1) order by ${order} offset ${(NEIGHBOURS - 1) / 2} limit 1`,
    [ids],
  );
  const before = await bytesOf(index);
  const file = Array.from({ length: AUDITS }, (_, i) => auditOf(`aud_${String(i).padStart(27, '0')}`));
  await importText(pool, rows[0]?.id ?? '', 'audits', ndjson(file), { parallel: true });
  expect(((await bytesOf(index)) - before) / AUDITS).toBeLessThan(most);
});
