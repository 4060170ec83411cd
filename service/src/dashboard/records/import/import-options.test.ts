import type { AuditLogEntry, ListEnvelope } from '@svc/sdk';
import { describe, expect, test } from 'vitest';
import { expectFailure } from '../../../../test/harness/answers.ts';
import { createTestDashboard } from '../../../../test/harness/dashboard.ts';
import { createTestService } from '../../../../test/harness/service.ts';
import type { ImportAnswer } from '../../wire.ts';

const service = await createTestService();
const dashboard = createTestDashboard(service);
const owner = await dashboard.owner();
const { workspaceId } = owner;
const viewer = await dashboard.member(workspaceId, 'viewer');
const stranger = await dashboard.owner();
const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';

interface Options {
  readonly type?: string;
  readonly who?: typeof owner | typeof viewer;
  readonly query?: Readonly<Record<string, string>>;
}

const load = (
  resource: string,
  file: string | Buffer,
  { type = NDJSON, who = owner, query = {} }: Options = {},
) =>
  who.send(
    'POST',
    `/workspaces/${workspaceId}/imports/${resource}?${new URLSearchParams(query)}`,
    undefined,
    {
      payload: file,
      headers: { 'content-type': type },
    },
  );
const report = async (...request: Parameters<typeof load>): Promise<ImportAnswer> => {
  const answer = await load(...request);
  expect(answer.status).toBeLessThan(300);
  return answer.json<ImportAnswer>();
};
const lines = (...records: readonly object[]): string =>
  records.map((one) => `${JSON.stringify(one)}\n`).join('');
const stored = async (relation: 'companies' | 'content' | 'audits', column: string) =>
  Object.fromEntries(
    (
      await service.pool.query<{ id: string; value: unknown }>(
        `select id, doc::jsonb ->> $2 as value from ${relation} where workspace_id = $1`,
        [workspaceId, column],
      )
    ).rows.map(({ id, value }) => [id, value]),
  );
const entries = async (kind: string): Promise<readonly AuditLogEntry[]> =>
  (await owner.send('GET', `/workspaces/${workspaceId}/log?kind=${kind}`)).json<ListEnvelope<AuditLogEntry>>()
    .data;

await report('companies', lines({ id: 'com_a', name: 'Acme' }, { id: 'com_b', name: 'Borealis' }));
const audit = { companyId: 'com_a', headlineScore: 50, completedAt: '2026-03-01T00:00:00Z' };
await report('audits', lines({ id: 'aud_1', ...audit }));

describe('a dry run of an import', () => {
  const file = lines(
    { id: 'aud_1', ...audit },
    { id: 'aud_2', ...audit },
    { id: 'aud_2', ...audit },
    { ...audit, companyId: 'com_none' },
    { ...audit, headlineScore: 101 },
    audit,
  );

  test('counts what the import then does, and writes nothing: no record, no entry, no import', async () => {
    const before = await service.pool.query('select count(*)::int as n from imports');
    const dry = await report('audits', file, { query: { dryRun: 'true' } });
    expect(dry).toMatchObject({ id: null, inserted: 2, existing: 2, refused: 2, addedBefore: 0 });
    expect(dry.refusedLines.map(({ line, failures }) => [line, failures[0]?.field])).toEqual([
      [4, '/companyId'],
      [5, '/headlineScore'],
    ]);
    expect(Object.keys(await stored('audits', 'id'))).toEqual(['aud_1']);
    expect((await service.pool.query('select count(*)::int as n from imports')).rows).toEqual(before.rows);
    expect(await entries('records.imported')).toHaveLength(2);
    const real = await report('audits', file);
    expect({ ...real, id: null }).toEqual(dry);
  });

  test('recognizes an id that an earlier batch of the file has', async () => {
    const many = Array.from({ length: 7_000 }, (_, i) => ({ id: `com_dry_${i % 6_500}`, name: 'Dry' }));
    expect(await report('companies', lines(...many), { query: { dryRun: 'true' } })).toMatchObject({
      inserted: 6_500,
      existing: 500,
    });
  });

  test('is refused to viewers and strangers, and for a file that does not fit', async () => {
    expectFailure(
      await load('audits', file, { query: { dryRun: 'true' }, who: viewer }),
      'insufficient_scope',
    );
    expectFailure(await load('audits', file, { query: { dryRun: 'true' }, who: stranger }), 'not_found');
    expectFailure(
      await load('audits', 'nome\nx\n', { query: { dryRun: 'true' }, type: CSV }),
      'invalid_body',
      'unknown columns: "nome"',
    );
  });
});

describe('an import that maps columns', () => {
  test('renames the columns of CSV, and leaves out those without a field', async () => {
    const columns = JSON.stringify({ Firma: 'name', Notiz: null });
    const csv = 'Firma;Notiz;id\nCobalt;x;com_c\n';
    expectFailure(await load('companies', csv, { type: CSV }), 'invalid_body', '"Firma", "Notiz"');
    expect(await report('companies', csv, { type: CSV, query: { columns } })).toMatchObject({
      inserted: 1,
      refused: 0,
    });
    expect(await stored('companies', 'name')).toMatchObject({ com_c: 'Cobalt' });
  });

  test('renames the fields of JSON; two values for one field are refused', async () => {
    const columns = JSON.stringify({ Firma: 'name', Notiz: null });
    const file = lines({ Firma: 'Delta', Notiz: 1, id: 'com_d' }, { Firma: 'E', name: 'F' });
    const { inserted, refusedLines } = await report('companies', file, { query: { columns } });
    expect(inserted).toBe(1);
    expect(refusedLines.map(({ line, failures }) => [line, failures])).toEqual([
      [2, [{ field: '', reason: 'has several values for one field' }]],
    ]);
  });

  test.each([
    ['columns', '[]'],
    ['columns', 'null'],
    ['columns', '5'],
    ['columns', '"name"'],
    ['columns', '{"a":1}'],
    ['columns', '{'],
    ['columns', JSON.stringify(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [i, null])))],
    ['existing', 'merge'],
    ['dryRun', 'yes'],
    ['other', 'x'],
  ])('is refused with the parameter %s=%s', async (name, value) => {
    expectFailure(await load('companies', '', { query: { [name]: value } }), 'invalid_parameter', name);
  });

  test('says of columns that it must be a JSON object', async () => {
    const refused = await load('companies', '', { query: { columns: 'null' } });
    expectFailure(refused, 'invalid_parameter', '"columns" must be a JSON object of at most 100 columns');
  });

  test('with the same Idempotency-Key and other columns is another request', async () => {
    const send = (columns: object) =>
      owner.send(
        'POST',
        `/workspaces/${workspaceId}/imports/companies?${new URLSearchParams({ columns: JSON.stringify(columns) })}`,
        undefined,
        {
          payload: lines({ a: 'Echo' }),
          headers: { 'content-type': NDJSON, 'idempotency-key': 'same-file' },
        },
      );
    expect((await send({ a: 'name' })).json()).toMatchObject({ inserted: 1 });
    expectFailure(await send({ a: 'domain' }), 'idempotency_mismatch');
  });
});

describe('an import that replaces', () => {
  test('writes the values of the file, also over an earlier line, with an entry in the log', async () => {
    await report(
      'companies',
      lines({ id: 'com_r', name: 'Old', domain: 'old.example' }, { id: 'com_s', name: 'Same' }),
    );
    const createdAt = (await stored('companies', 'createdAt'))['com_r'];
    const file = lines(
      { id: 'com_r', name: 'New', createdAt: '2020-01-01T00:00:00Z' },
      { id: 'com_s', name: 'Same' },
      { id: 'com_t', name: 'First' },
      { id: 'com_t', name: 'Second' },
    );
    const answer = await report('companies', file, { query: { existing: 'replace' } });
    expect(answer).toMatchObject({ inserted: 1, existing: 3, replaced: 2, refused: 0 });
    expect(await stored('companies', 'name')).toMatchObject({ com_r: 'New', com_s: 'Same', com_t: 'Second' });
    expect((await stored('companies', 'domain'))['com_r']).toBeNull();
    expect((await stored('companies', 'createdAt'))['com_r'], 'stays').toBe(createdAt);
    const [entry] = await entries('records.changed');
    expect(entry).toMatchObject({ actor: owner.email, resource: 'companies', targetLabel: '2 companies' });
    expect(entry?.recordIds?.toSorted()).toEqual(['com_r', 'com_t']);
  });

  test('refuses what a record may not change to, and writes the others', async () => {
    const item = (id: string, status: string, title = 'Title') => ({ id, companyId: 'com_a', title, status });
    await report('content', lines(item('con_1', 'draft'), item('con_2', 'draft')));
    const answer = await report(
      'content',
      lines(item('con_1', 'archived'), item('con_2', 'draft', 'Other'), item('con_3', 'draft')),
      { query: { existing: 'replace' } },
    );
    expect(answer).toMatchObject({ inserted: 1, existing: 1, replaced: 1, refused: 1 });
    expect(answer.refusedLines.map(({ line, failures }) => [line, failures[0]?.reason])).toEqual([
      [1, expect.stringContaining('cannot change from draft to archived')],
    ]);
    expect(await stored('content', 'title')).toMatchObject({ con_1: 'Title', con_2: 'Other' });
    const audits = lines({ id: 'aud_1', ...audit, headlineScore: 51 }, { id: 'aud_1', ...audit });
    expect(await report('audits', audits, { query: { existing: 'replace' } })).toMatchObject({
      replaced: 0,
      refused: 0,
    });
    const changed = await report('audits', lines({ id: 'aud_1', ...audit, headlineScore: 51 }), {
      query: { existing: 'replace' },
    });
    expect(changed).toMatchObject({ existing: 0, replaced: 0, refused: 1 });
    expect(changed.refusedLines[0]?.failures[0]?.reason).toContain('cannot be changed');
  });

  test('leaves the counters and the feed right', async () => {
    const { rows } = await service.pool.query<{ records: number; counted: number }>(
      `select (select count(*)::int from companies where workspace_id = $1) as records,
         (select records from record_counts where workspace_id = $1 and resource = 'companies' and company_id = '') as counted`,
      [workspaceId],
    );
    expect(rows[0]?.counted).toBe(rows[0]?.records);
  });
});
