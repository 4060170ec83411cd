import { PassThrough } from 'node:stream';
import { canonicalTime } from '@svc/exact-times/canonical-time';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { auditOf, idsIn, importText, ndjson, workspaceWith, wrongCounts } from '../../test/harness/import.ts';
import { OPERATOR } from '../audit-log/actor.ts';
import { audits } from '../resources/index.ts';
import { importRecords } from './import.ts';

const { pool } = await createTestDatabase();

async function events(workspaceId: string): Promise<readonly unknown[]> {
  const { rows } = await pool.query<{ doc: string }>(
    'select doc from audit_log_entries where workspace_id = $1 order by created_at',
    [workspaceId],
  );
  return rows.map((row) => JSON.parse(row.doc)).filter(({ resource }) => resource !== 'companies');
}

describe('importing', () => {
  test('again changes nothing and reports the existing records; only an import that adds records is logged', async () => {
    const ws = await workspaceWith(pool, 'c1');
    const file = ndjson([auditOf('a'), auditOf('b')]);
    expect(await importText(pool, ws, 'audits', file)).toMatchObject({
      inserted: 2,
      existing: 0,
      refused: 0,
    });
    const changed = ndjson([auditOf('a', { headlineScore: 1 }), auditOf('c'), auditOf('c')]);
    expect(await importText(pool, ws, 'audits', changed)).toMatchObject({ inserted: 1, existing: 2 });
    expect(await importText(pool, ws, 'audits', file)).toMatchObject({ inserted: 0, existing: 2 });
    const { rows } = await pool.query('select headline_score from audits where workspace_id = $1', [ws]);
    expect(rows.every((row) => row.headline_score === 50)).toBe(true);
    expect(await wrongCounts(pool, ws)).toEqual([]);
    expect(await events(ws)).toEqual([
      expect.objectContaining({
        kind: 'records.imported',
        keyId: null,
        actor: null,
        resource: 'audits',
        records: 2,
        details: { existing: 0, refused: 0, finished: true },
      }),
      expect.objectContaining({
        kind: 'records.imported',
        resource: 'audits',
        records: 1,
        details: { existing: 2, refused: 0, finished: true },
      }),
    ]);
  });

  test.each([
    ['a transaction a batch', {}],
    ['two at the same time', { parallel: true }],
    ['all or nothing', { atomic: true }],
  ])('of published content sets the time of its publication, unless the file has it: %s', async (_, how) => {
    const ws = await workspaceWith(pool, 'c1');
    const createdAt = '2020-02-02T00:00:00Z';
    const own = '2020-01-01T00:00:00Z';
    const file = [
      ...Array.from({ length: 1_000 }, () => ({})),
      { createdAt },
      { publishedAt: own },
      { publishedAt: null },
      { status: 'draft' },
    ].map((fields, i) => ({ id: `x${i}`, companyId: 'c1', title: 't', status: 'published', ...fields }));
    await importText(pool, ws, 'content', ndjson(file), how);
    const { rows } = await pool.query<{ doc: string }>('select doc from content where workspace_id = $1', [
      ws,
    ]);
    const items = new Map(rows.map(({ doc }) => JSON.parse(doc)).map((item) => [item.id, item]));
    const first = items.get('x0');
    expect(canonicalTime(first.publishedAt, 'microseconds')).toBe(first.createdAt);
    const others = ['x1000', 'x1001', 'x1002', 'x1003'].map((id) => items.get(id).publishedAt);
    expect(others).toEqual([createdAt, own, null, null]);
  });

  test.each([
    ['a transaction a batch', {}],
    ['two at the same time', { parallel: true }],
    ['all or nothing', { atomic: true }],
  ])('of many batches has one entry, with its file and the number of added records: %s', async (_, how) => {
    const ws = await workspaceWith(pool, 'c1');
    const many = Array.from({ length: 10_000 }, (_, i) => auditOf(`a${i}`));
    const file = ndjson([...many, auditOf('a0')]);
    await importText(pool, ws, 'audits', `${file}{broken\n`, { ...how, fileName: 'audits.ndjson' }).catch(
      () => undefined,
    );
    const expected = {
      kind: 'records.imported',
      targetType: 'import',
      targetId: expect.stringMatching(/^imp_/),
      targetLabel: 'audits.ndjson',
      records: 10_000,
      details: { existing: 1, refused: 1, finished: true },
    };
    // One refused line rolls back an atomic import.
    expect(await events(ws)).toEqual('atomic' in how ? [] : [expect.objectContaining(expected)]);
    const { rows } = await pool.query(
      "select type, doc::json from pending_events where workspace_id = $1 and doc::json ->> 'resource' = 'audits'",
      [ws],
    );
    const doc = { resource: 'audits', added: 10_000, existing: 1, refused: 1, finished: true };
    const event = { type: 'import.finished', doc: expect.objectContaining(doc) };
    expect(rows).toEqual('atomic' in how ? [] : [event]);
  });

  test('releases its connections if the person is no longer allowed to import', async () => {
    const ws = await workspaceWith(pool, 'c1');
    const connected = pool.totalCount - pool.idleCount;
    for (const atomic of [false, true]) {
      const refused = importText(pool, ws, 'audits', ndjson([auditOf('a1')]), {
        atomic,
        confirm: () => Promise.reject(new Error('no role')),
      });
      await expect(refused).rejects.toThrow('no role');
    }
    expect(pool.totalCount - pool.idleCount).toBe(connected);
  });

  test('an empty file adds nothing', async () => {
    const ws = await workspaceWith(pool, 'c1');
    expect(await importText(pool, ws, 'audits', '\n \r\n')).toMatchObject({
      inserted: 0,
      existing: 0,
      refused: 0,
    });
    expect(await events(ws)).toEqual([]);
  });

  test('an atomic import of many batches adds all records if every line is valid', async () => {
    const ws = await workspaceWith(pool, 'c1');
    const many = Array.from({ length: 12_345 }, (_, i) => auditOf(`a${String(i).padStart(5, '0')}`));
    const seen: number[] = [];
    const report = await importText(
      pool,
      ws,
      'audits',
      many.map((one) => ndjson([one])),
      {
        atomic: true,
        onProgress: ({ inserted }) => seen.push(inserted),
      },
    );
    expect(report).toMatchObject({ inserted: 12_345, rolledBack: false });
    expect(seen).toEqual([3_000, 6_000, 9_000, 12_000, 12_345]);
    expect(await idsIn(pool, ws)).toEqual(many.map(({ id }) => id));
    expect(await wrongCounts(pool, ws)).toEqual([]);
    expect(await events(ws)).toMatchObject([{ records: 12_345 }]);
  });

  test('an atomic import adds nothing if the last line of the last batch is invalid, and still checks every line', async () => {
    const ws = await workspaceWith(pool, 'c1');
    const many = Array.from({ length: 6_000 }, (_, i) => auditOf(`a${i}`));
    const report = await importText(pool, ws, 'audits', `${ndjson(many)}{"headlineScore":1}\n{}`, {
      atomic: true,
    });
    expect(report).toMatchObject({ inserted: 0, refused: 2, rolledBack: true });
    expect(await idsIn(pool, ws)).toEqual([]);
    expect(await events(ws)).toEqual([]);
    expect(await wrongCounts(pool, ws)).toEqual([]);
  });

  test('the signal ends it after the batch that is being written, also while the input is idle', async () => {
    for (const atomic of [false, true]) {
      const ws = await workspaceWith(pool, 'c1');
      const input = new PassThrough();
      const abort = new AbortController();
      const many = Array.from({ length: 3_000 }, (_, i) => auditOf(`a${i}`));
      input.write(`${ndjson(many)}${JSON.stringify(auditOf('half')).slice(0, 40)}`);
      const report = await importRecords({
        pool,
        workspaceId: ws,
        resource: audits,
        input,
        by: OPERATOR,
        format: 'ndjson',
        atomic,
        signal: abort.signal,
        onProgress: () => abort.abort(),
      });
      expect(report).toMatchObject({
        inserted: atomic ? 0 : 3_000,
        refused: 0,
        interrupted: true,
        rolledBack: atomic,
      });
      expect((await idsIn(pool, ws)).length).toBe(atomic ? 0 : 3_000);
      expect(input.destroyed).toBe(true);
    }
  });

  test('an input or a listener that fails ends it with that error, and reported batches stay', async () => {
    const ws = await workspaceWith(pool, 'c1');
    function* broken(): Generator<string> {
      yield ndjson(Array.from({ length: 3_000 }, (_, i) => auditOf(`a${i}`)));
      throw new Error('the disk is gone');
    }
    await expect(importText(pool, ws, 'audits', broken())).rejects.toThrow('the disk is gone');
    expect((await idsIn(pool, ws)).length).toBe(3_000);
    expect(await events(ws)).toMatchObject([
      { kind: 'records.imported', records: 3_000, details: { finished: false, existing: null } },
    ]);
    const failing = importText(pool, ws, 'audits', ndjson([auditOf('z')]), {
      onProgress: () => {
        throw new Error('no more room');
      },
    });
    await expect(failing).rejects.toThrow('no more room');
    expect((await idsIn(pool, ws)).length).toBe(3_001);
    expect(await events(ws)).toMatchObject([{ records: 3_000 }, { records: 1 }]);
  });

  test('adds nothing if it cannot be logged', async () => {
    for (const atomic of [false, true]) {
      const ws = await workspaceWith(pool, 'c1');
      await pool.query('delete from live_meters where workspace_id = $1', [ws]);
      await expect(importText(pool, ws, 'audits', ndjson([auditOf('a')]), { atomic })).rejects.toThrow(
        'audit log',
      );
      expect(await idsIn(pool, ws)).toEqual([]);
    }
  });

  test('records without an id or a time get one in the order of the file', async () => {
    const ws = await workspaceWith(pool, 'c1');
    const many = Array.from({ length: 7_000 }, (_, i) => ({ companyId: 'c1', title: `title ${i}` }));
    await importText(pool, ws, 'content', ndjson(many));
    expect(await events(ws)).toMatchObject([{ records: 7_000 }]);
    const { rows } = await pool.query<{ title: string; doc: string }>(
      'select title, doc from content where workspace_id = $1 order by created_at, id',
      [ws],
    );
    expect(rows.map(({ title }) => title)).toEqual(many.map(({ title }) => title));
    expect(rows.every(({ doc }) => /^\{"id":"con_[0-9a-z]{26}",/.test(doc))).toBe(true);
  });
});
