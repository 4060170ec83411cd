import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { errorCode } from '../config/errors.ts';
import { inTransaction } from '../database/pool.ts';
import type { Resource } from '../resources/define.ts';
import { audits, companies, content, mentions } from '../resources/index.ts';
import { type InsertResult, insertRecords } from './insert.ts';
import type { RecordInput } from './row.ts';
import { docOf, selectList } from './row.ts';
import { createWorkspace } from './workspaces.ts';

const { pool } = await createTestDatabase();

const insert = (workspaceId: string, resource: Resource, ...inputs: RecordInput[]): Promise<InsertResult> =>
  inTransaction(pool, (client) => insertRecords(client, workspaceId, resource, inputs));

async function workspace(...companyIds: readonly string[]): Promise<string> {
  const id = await inTransaction(pool, (client) => createWorkspace(client, 'test'));
  if (companyIds.length > 0) {
    await insert(id, companies, ...companyIds.map((companyId) => ({ id: companyId, name: companyId })));
  }
  return id;
}

async function docs(workspaceId: string, { list }: Resource): Promise<readonly unknown[]> {
  const { rows } = await pool.query<{ doc: string }>(
    `select doc from ${list.relation} where workspace_id = $1 order by created_at, id`,
    [workspaceId],
  );
  return rows.map((row) => JSON.parse(row.doc));
}

async function counts(workspaceId: string): Promise<Readonly<Record<string, number>>> {
  const { rows } = await pool.query<{ name: string; records: number }>(
    `select resource || ':' || company_id as name, records from record_counts where workspace_id = $1`,
    [workspaceId],
  );
  return Object.fromEntries(rows.map((row) => [row.name, row.records]));
}

const AWKWARD = 'back\\slash \\N \\. "quoted"\ttab\nline\r\nreturn, ünïcode 🚀 \u2028 \u0001 end\\';
const audit = (id: string, companyId = 'c1') => ({
  id,
  companyId,
  headlineScore: 50,
  completedAt: '2026-03-01T09:30:00Z',
});

describe('insertRecords', () => {
  test('every text is stored exactly', async () => {
    const ws = await workspace('c1');
    const mention = {
      id: 'm1',
      companyId: 'c1',
      source: AWKWARD,
      url: 'https://example.com/a',
      title: AWKWARD,
      excerpt: '',
      sentiment: 'neutral',
      publishedAt: '2026-02-27T08:00:00.12+02:00',
    };
    const { inserted } = await insert(ws, mentions, mention);
    const { rows } = await pool.query('select * from mentions where workspace_id = $1', [ws]);
    expect(rows[0]).toMatchObject({ source: AWKWARD, title: AWKWARD, excerpt: '', doc: inserted[0]?.doc });
    const [doc] = await docs(ws, mentions);
    expect(doc).toEqual({
      ...mention,
      publishedAt: '2026-02-27T06:00:00.120Z',
      createdAt: expect.any(String),
    });
    expect(Object.keys(doc as object)).toEqual(Object.keys(mentions.fields));
  });

  test('the service sets the fields that a writer leaves out', async () => {
    const ws = await workspace('c1');
    const { inserted } = await insert(
      ws,
      content,
      { companyId: 'c1', title: 'A' },
      { companyId: 'c1', title: 'B' },
    );
    const [a, b] = (await docs(ws, content)) as Record<string, string | null>[];
    expect(a).toEqual({
      id: inserted[0]?.id,
      companyId: 'c1',
      title: 'A',
      url: null,
      status: 'draft',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      updatedAt: a?.['createdAt'],
      publishedAt: null,
    });
    expect(a?.['id']).toMatch(/^con_[0-9a-z]{26}$/);
    expect(b?.['title']).toBe('B');
    const { rows } = await pool.query<{ micros: number }>(
      `select (extract(epoch from created_at) * 1000000)::bigint as micros from content where workspace_id = $1 order by 1`,
      [ws],
    );
    expect((rows[1]?.micros ?? 0) - (rows[0]?.micros ?? 0)).toBe(1);
  });

  test('an id that already exists, or that an earlier input has, changes nothing', async () => {
    const ws = await workspace('c1');
    await insert(ws, audits, audit('a1'));
    const result = await insert(ws, audits, { ...audit('a1'), headlineScore: 1 }, audit('a2'), {
      ...audit('a2'),
      headlineScore: 2,
    });
    expect(result).toMatchObject({ inserted: [{ index: 1, id: 'a2' }], existing: [0, 2] });
    expect(await docs(ws, audits)).toEqual([audit('a1'), audit('a2')]);
    expect(await counts(ws)).toEqual({ 'companies:': 1, 'audits:': 2, 'audits:c1': 2 });
  });

  test('a record of a company that does not exist is named and not written; the others are', async () => {
    const ws = await workspace('c1');
    await workspace('c2');
    const result = await insert(ws, audits, audit('a1', 'c2'), audit('a2'), audit('a3', ''));
    expect(result).toMatchObject({ inserted: [{ index: 1 }], withoutCompany: [0, 2] });
  });

  test('a company is counted for the workspace only, another record also for its company', async () => {
    const ws = await workspace('c1', 'c2');
    await insert(ws, audits, audit('a1'), audit('a2', 'c2'), audit('a3', 'c2'));
    await insert(ws, mentions);
    expect(await counts(ws)).toEqual({ 'companies:': 2, 'audits:': 3, 'audits:c1': 1, 'audits:c2': 2 });
  });

  test('a given createdAt is kept, with six digits, and must be in the past', async () => {
    const ws = await workspace();
    const result = await insert(
      ws,
      companies,
      { id: 'c1', name: 'A', createdAt: '2020-01-01T00:00:00+01:00' },
      { id: 'c2', name: 'B', createdAt: '2999-01-01T00:00:00Z' },
    );
    expect(result).toMatchObject({ inserted: [{ id: 'c1' }], notPast: new Map([[1, 'createdAt']]) });
    expect(await docs(ws, companies)).toEqual([
      { id: 'c1', name: 'A', domain: null, createdAt: '2019-12-31T23:00:00.000000Z' },
    ]);
  });

  test('a given updatedAt must be in the past too, because the clock is later than all times that it has given', async () => {
    const ws = await workspace('c1');
    const item = { companyId: 'c1', title: 'x', updatedAt: '2020-01-01T00:00:00Z' };
    const future = { ...item, updatedAt: '2999-01-01T00:00:00Z' };
    const result = await insert(ws, content, { ...item, id: 'p1' }, { ...future, id: 'p2' });
    expect(result).toMatchObject({ inserted: [{ id: 'p1' }], notPast: new Map([[1, 'updatedAt']]) });
  });

  test('every doc can be computed from its columns', async () => {
    const ws = await workspace('c1');
    await insert(ws, audits, { ...audit('a1'), completedAt: '2026-03-01T09:30:00.1234Z' });
    await insert(ws, content, {
      companyId: 'c1',
      title: AWKWARD,
      publishedAt: '0001-01-01T00:00:00.000001Z',
    });
    for (const resource of [companies, audits, content]) {
      const { rows } = await pool.query(
        `select doc, ${selectList(resource)} from ${resource.list.relation} where workspace_id = $1`,
        [ws],
      );
      expect(rows.length).toBeGreaterThan(0);
      for (const { doc, ...values } of rows) expect(docOf(resource, values)).toBe(doc);
    }
  });

  test('a transaction that is rolled back leaves neither records nor counts', async () => {
    const ws = await workspace('c1');
    const failing = inTransaction(pool, async (client) => {
      await insertRecords(client, ws, audits, [audit('a1')]);
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect(await docs(ws, audits)).toEqual([]);
    expect(await counts(ws)).toEqual({ 'companies:': 1 });
  });

  test('thousands of records are written in the order of the input', async () => {
    const ws = await workspace('c1');
    const many = Array.from({ length: 5_000 }, (_, i) => audit(`a${String(4_999 - i).padStart(4, '0')}`));
    const { inserted } = await insert(ws, audits, ...many);
    expect(inserted.map(({ id }) => id)).toEqual(many.map(({ id }) => id));
    expect(await docs(ws, audits)).toEqual(many);
    expect(await counts(ws)).toEqual({ 'companies:': 1, 'audits:': 5_000, 'audits:c1': 5_000 });
  });

  test.each([
    ['PostgreSQL refuses', { ...audit('bad'), headlineScore: 101 }],
    ['was not validated', { ...audit('bad'), completedAt: 'yesterday' }],
  ])(
    'a record that %s fails the whole call, first or last, and the connection stays usable',
    async (_, bad) => {
      const ws = await workspace('c1');
      const good = Array.from({ length: 3_000 }, (_, i) => audit(`a${i}`));
      const client = await pool.connect();
      try {
        for (const inputs of [
          [bad, ...good],
          [...good, bad],
        ]) {
          await client.query('begin');
          await expect(insertRecords(client, ws, audits, inputs)).rejects.toThrow();
          await client.query('rollback');
        }
        expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
      } finally {
        client.release();
      }
      expect(await docs(ws, audits)).toEqual([]);
    },
  );

  test('a single record that PostgreSQL refuses fails with its reason', async () => {
    const ws = await workspace('c1');
    const refused = insert(ws, audits, { ...audit('bad'), headlineScore: 101 });
    expect(errorCode(await refused.catch((error: unknown) => error))).toBe('23514');
    expect(await counts(ws)).toEqual({ 'companies:': 1 });
  });
});
