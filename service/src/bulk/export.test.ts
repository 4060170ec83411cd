import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { exportText, importText, ndjson, workspaceWith } from '../../test/harness/import.ts';
import { resourceNamed } from '../../test/harness/records.ts';
import { audits } from '../resources/index.ts';
import { FORMATS } from './batches.ts';
import { exportRecords } from './export.ts';

const { pool } = await createTestDatabase();

const AWKWARD = ' back\\slash \\N "quoted",\ttab\nline\r\nreturn, ünïcode 🚀 \u2028 \u0001, end" ';
/** More records than one fetch reads. */
const MANY = 2_500;

/** A record per index, with difficult texts in each field. */
const RECORDS: Readonly<Record<string, (i: number) => object>> = {
  companies: (i) => ({
    id: `c${i % 7 === 0 ? i : `_${i}`}`,
    name: i % 2 ? AWKWARD : '-',
    ...(i % 3 ? { domain: `d${i}.example` } : {}),
  }),
  audits: (i) => ({
    companyId: 'c0',
    headlineScore: i % 101,
    completedAt: `2026-03-01T09:30:00${['', '.1', '.123456'][i % 3]}+02:00`,
    ...(i % 5 ? {} : { createdAt: `2020-01-01T00:00:00.${String(i).padStart(6, '0')}Z` }),
  }),
  mentions: (i) => ({
    id: `m${i}`,
    companyId: 'c0',
    source: AWKWARD,
    url: 'https://example.com/?q=%22,a"b'.replace('"', ''),
    title: AWKWARD,
    excerpt: i % 2 ? '' : AWKWARD,
    sentiment: 'neutral',
    publishedAt: '0001-01-01T00:00:00Z',
  }),
  content: (i) => ({
    companyId: 'c0',
    title: 'null',
    url: i % 2 ? null : 'https://example.com',
    status: i % 2 ? 'draft' : 'published',
    publishedAt: i % 2 ? null : '9999-12-31T23:59:59.999999Z',
    ...(i % 3 ? {} : { updatedAt: '2026-03-01T09:30:00Z' }),
  }),
};

test('CSV has the exact texts, or with csvSafe texts that are safe for a spreadsheet', async () => {
  const ws = await workspaceWith(pool);
  const names = ['=1+1', '+1', '-1', '@SUM(1)', '\t=1', '\r=1', '\uff1d1', 'a=1', "'=1", '"=1'];
  await importText(pool, ws, 'companies', ndjson(names.map((name, i) => ({ id: `c${i}`, name }))));
  const exported = async (csvSafe: boolean): Promise<readonly unknown[]> => {
    let text = '';
    const target = { pool, workspaceId: ws, resource: resourceNamed('companies') };
    for await (const part of exportRecords({ ...target, format: 'csv', csvSafe })) text += part;
    const rows: readonly Record<string, unknown>[] = parse(text, { columns: true, record_delimiter: '\n' });
    return rows.map((row) => row['name']);
  };
  expect(await exported(false)).toEqual(names);
  // A tab and a line break begin a cell in some spreadsheets, so the formula after one is text too.
  const safe = ["'=1+1", "'+1", "'-1", "'@SUM(1)", "'\t'=1", "'\r'=1", "'\uff1d1", 'a=1', "'=1", '"=1'];
  expect(await exported(true)).toEqual(safe);
});

test.each(FORMATS)(
  'an export as %s, imported into an empty workspace, gives the same lists',
  async (format) => {
    const from = await workspaceWith(pool);
    const to = await workspaceWith(pool);
    for (const [resource, record] of Object.entries(RECORDS)) {
      const many = Array.from({ length: MANY }, (_, i) => record(i));
      expect(await importText(pool, from, resource, ndjson(many))).toMatchObject({
        inserted: MANY,
        refused: 0,
      });
      const text = await exportText(pool, from, resource, format);
      expect(await importText(pool, to, resource, text, { format })).toMatchObject({
        inserted: MANY,
        refused: 0,
      });
      const { rows } = await pool.query<{ workspace_id: string; rows: string }>(
        `select workspace_id, string_agg(id || ' ' || created_at || ' ' || doc, E'\\n' order by created_at, id) as rows
       from ${resource} where workspace_id = any($1) group by workspace_id`,
        [[from, to]],
      );
      expect(rows.length).toBe(2);
      expect(rows[0]?.rows === rows[1]?.rows).toBe(true);
      expect((await exportText(pool, to, resource, format)) === text).toBe(true);
    }
  },
);

test('an export has the oldest record first, a header in CSV also without records, and always createdAt', async () => {
  const ws = await workspaceWith(pool, 'c1');
  expect(await exportText(pool, ws, 'audits')).toBe('');
  expect(await exportText(pool, ws, 'audits', 'csv')).toBe(
    'id,companyId,headlineScore,completedAt,createdAt\n',
  );
  const audit = { companyId: 'c1', headlineScore: 1, completedAt: '2026-01-01T00:00:00Z' };
  await importText(
    pool,
    ws,
    'audits',
    ndjson([
      { id: 'new', ...audit },
      { id: 'old', ...audit, createdAt: '2020-01-01T00:00:00Z' },
    ]),
  );
  const lines = (await exportText(pool, ws, 'audits'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toEqual([
    { id: 'old', ...audit, createdAt: '2020-01-01T00:00:00.000000Z' },
    { id: 'new', ...audit, createdAt: expect.any(String) },
  ]);
});

test('an export that is not read to its end releases its connection', async () => {
  const ws = await workspaceWith(pool, 'c1');
  for await (const _ of exportRecords({ pool, workspaceId: ws, resource: audits, format: 'csv' })) break;
  expect(pool.totalCount - pool.idleCount).toBe(0);
});

test('an unknown workspace is refused', async () => {
  await expect(exportText(pool, 'wks_none', 'audits')).rejects.toThrow('There is no workspace "wks_none"');
});
