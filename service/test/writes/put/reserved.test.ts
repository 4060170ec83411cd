import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../../harness/answers.ts';
import { importText } from '../../harness/import.ts';
import { resourceNamed, seedRecords } from '../../harness/records.ts';
import { newRecord, WRITES } from '../cases.ts';
import { createWriteWorld, type WriteWorld } from '../world.ts';

let world: WriteWorld;
beforeAll(async () => {
  world = await createWriteWorld();
});
const WORDS = ['export', 'batch'];
const ALLOWED = 'not one of the words count, export and batch';

describe.each(WRITES)('an id that is a word of a path below $path', (of) => {
  test.each([...WORDS, 'count'])('is refused for a new record: %s', async (id) => {
    const record = newRecord(of);
    expectFailure(await world.send('POST', of.path, { ...record, id }), 'invalid_body', '/id', ALLOWED);
    const batch = { data: [record, { ...record, id }] };
    expectFailure(await world.send('POST', `${of.path}/batch`, batch), 'invalid_body', '/data/1/id', ALLOWED);
    expectFailure(await world.send('PUT', `${of.path}/${id}`, record), 'invalid_body', '/id', ALLOWED);
    const operations = [{ method: 'PUT', path: `${of.path}/${id}`, body: record }];
    expectFailure(await world.send('POST', '/v1/batch', { operations }), 'invalid_body', ALLOWED);
  });

  test.each(WORDS)('is refused in a file, whose other lines are imported: %s', async (id) => {
    const { pool } = world.service;
    const lines = [{ ...newRecord(of), id }, newRecord(of)].map((line) => JSON.stringify(line));
    const report = await importText(pool, world.workspaceId, of.name, lines.join('\n'));
    expect(report).toMatchObject({ inserted: 1, refused: 1 });
    expect(JSON.stringify(report.lines)).toContain(ALLOWED);
  });

  test.each(['exports', 'Export', 'batch_1', 'xexport'])(
    'is not one that only resembles it: %s',
    async (id) => {
      expect((await world.send('POST', of.path, { ...newRecord(of), id })).status).toBe(201);
    },
  );
});

test.each(WORDS)(
  'a company with the id %s from before the rule is replaced, used and deleted',
  async (id) => {
    await seedRecords(world.service.pool, world.workspaceId, resourceNamed('companies'), [
      { id, createdAt: '2026-01-01T00:00:00Z' },
    ]);
    const listed = (await world.get('/v1/companies?limit=100')).json<{ data: readonly { id: string }[] }>();
    expect(listed.data.map((company) => company.id)).toContain(id);
    const path = `/v1/companies/${id}`;
    // The other path is that of the export.
    if (id === 'batch') expect((await world.get(path)).json()).toMatchObject({ id });
    expect((await world.send('PUT', path, { name: 'Replaced' })).status).toBe(200);
    const changed = { data: [{ id, name: 'Changed' }] };
    expect((await world.send('PATCH', '/v1/companies/batch', changed)).json()).toMatchObject(changed);
    const mention = {
      source: 's',
      url: 'https://a.example/1',
      title: 't',
      excerpt: '',
      sentiment: 'neutral',
    };
    const body = { ...mention, companyId: id, publishedAt: '2026-01-01T00:00:00Z' };
    const created = await world.send('POST', '/v1/mentions', body);
    expect(created.status).toBe(201);
    expect((await world.get(`/v1/mentions?companyId=${id}`)).json<{ data: object[] }>().data).toHaveLength(1);
    expect((await world.send('DELETE', String(created.headers['location']), undefined)).status).toBe(204);
    expect((await world.send('DELETE', path, undefined)).status).toBe(204);
  },
);
