import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { auditOf, importText, ndjson, workspaceWith } from '../../test/harness/import.ts';
import { inCluster } from '../../test/harness/locks.ts';
import { indexWords } from '../../test/harness/records.ts';

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

/** Titles of four words of 3,000, and one of 97 hosts. */
const MENTIONS = 30_000;
const wordOf = (n: number): string => `w${((n * 2_654_435_761) % 3_000).toString(36)}`;
const mentionOf = (n: number) => ({
  id: `men_${String(n).padStart(27, '0')}`,
  companyId: 'c1',
  title: `Acme ${[1, 2, 3, 4].map((part) => wordOf(n * part + part)).join(' ')}`,
  url: `https://www.news${n % 97}.example.com/${n}`,
  ...{ source: 'news', excerpt: '', sentiment: 'neutral', publishedAt: '2026-03-01T09:30:00Z' },
});

// A cluster of Citus has no blocks.
test.skipIf(inCluster())('the index of words takes less than 150 bytes per record', async () => {
  const id = await workspaceWith(pool, 'c1');
  const size = `select pg_total_relation_size('word_blocks')::int as bytes`;
  const { rows: before } = await pool.query<{ bytes: number }>(size);
  const file = Array.from({ length: MENTIONS }, (_, n) => mentionOf(n));
  await importText(pool, id, 'mentions', ndjson(file));
  await indexWords(pool);
  await pool.query(`select gin_clean_pending_list('word_blocks_by_word')`);
  const { rows: after } = await pool.query<{ bytes: number }>(size);
  const each = ((after[0]?.bytes ?? 0) - (before[0]?.bytes ?? 0)) / MENTIONS;
  expect(each).toBeGreaterThan(50);
  expect(each).toBeLessThan(150);
});
