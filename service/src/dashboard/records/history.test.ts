import { Readable } from 'node:stream';
import { waitFor } from '@svc/embedded-postgres/testing';
import { describe, expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import { importText, ndjson } from '../../../test/harness/import.ts';
import { urlOf } from '../../../test/harness/lists.ts';
import { resourceNamed } from '../../../test/harness/records.ts';
import { OPERATOR } from '../../audit-log/actor.ts';
import { BATCH_RECORDS } from '../../bulk/batches.ts';
import { importRecords } from '../../bulk/import.ts';
import { createHistoryWorld, type HistoryPage, historyPath, typesOf } from './history.fixture.ts';

const { pool, dashboard, createWorkspace, historyOf, logOf } = await createHistoryWorld();

describe('the history of a record', () => {
  test('has each change with its fields and its entry in the audit log, also after the deletion', async () => {
    const { owner, workspaceId, write } = await createWorkspace();
    const admin = await dashboard.member(workspaceId, 'admin');
    const viewer = await dashboard.member(workspaceId, 'viewer');
    await write('POST', '/content', { id: 'con_a', companyId: 'com_a', title: 'A' });
    await write('POST', '/content', { id: 'con_b', companyId: 'com_a', title: 'B' });
    await admin.send('PATCH', `/workspaces/${workspaceId}/data/content/con_a`, { title: 'Better' });
    await write('PATCH', '/content/con_b', { title: 'Better' });
    // It changes nothing, so it is in the log only.
    await write('PATCH', '/content/con_a', { title: 'Better' });
    await write('PATCH', '/content/con_a', { status: 'in_review' });
    const expected = [
      { type: 'content.updated', changed: ['status', 'updatedAt'], by: null },
      { type: 'content.updated', changed: ['title', 'updatedAt'], by: admin.email },
      { type: 'content.created', changed: undefined, by: null },
    ];
    const summary = ({ data }: HistoryPage) =>
      data.map(({ type, changed, entry }) => ({ type, changed, by: entry?.actor }));
    const read = (await viewer.send('GET', historyPath(workspaceId, 'content/con_a'))).json<HistoryPage>();
    expect(summary(read)).toEqual(expected);
    expect([read.pagination.hasMore, read.pagination.nextCursor]).toEqual([false, null]);
    const entries = [...(await logOf(owner, 'api.request')), ...(await logOf(owner, 'record.changed'))];
    for (const { entry, createdAt } of read.data) {
      const found = entries.find(({ id }) => id === entry?.id);
      expect(found).toMatchObject({ ...entry, recordIds: ['con_a'] });
      expect(Date.parse(found?.createdAt ?? '')).toBeGreaterThanOrEqual(Date.parse(createdAt));
    }
    expect(new Set(read.data.map(({ entry }) => entry?.id)).size).toBe(3);
    await write('DELETE', '/content/con_a');
    expect(summary(await historyOf(owner, 'content/con_a'))).toEqual([
      { type: 'content.deleted', changed: undefined, by: null },
      ...expected,
    ]);
    // A new record with the same id has a history of its own.
    await write('POST', '/content', { id: 'con_a', companyId: 'com_a', title: 'New' });
    expect(summary(await historyOf(owner, 'content/con_a'))).toEqual(expected.slice(2));
  });

  test('has the entry of each change by PUT, by a batch of changes, of deletions or of operations', async () => {
    const { owner, write } = await createWorkspace();
    const item = { companyId: 'com_a', title: 'A' };
    await write('PUT', '/content/con_a', item);
    await write('PUT', '/content/con_a', { ...item, title: 'B' });
    await write('PATCH', '/content/batch', { data: [{ id: 'con_a', title: 'C' }] });
    await write('POST', '/batch', {
      operations: [{ method: 'PATCH', path: '/v1/content/con_a', body: { title: 'D' } }],
    });
    await write('POST', '/content/batch/delete', { data: [{ id: 'con_a' }] });
    const requests = (await logOf(owner, 'api.request')).slice(0, 5);
    const { data } = await historyOf(owner, 'content/con_a');
    expect(data.map(({ entry }) => entry?.id)).toEqual(requests.map(({ id }) => id));
  });

  test('has the entry of a batch for each of its records, and of resources whose records have no time of change', async () => {
    const { owner, write } = await createWorkspace();
    const audit = { companyId: 'com_a', headlineScore: 1, completedAt: '2026-03-01T09:30:00Z' };
    const ids = Array.from({ length: 250 }, (_, i) => `aud_${i}`);
    await write('POST', '/audits/batch', { data: ids.map((id) => ({ id, ...audit })) });
    await write('PATCH', '/companies/com_a', { name: 'Acme Ltd' });
    const [, batch] = await logOf(owner, 'api.request');
    for (const id of [ids[0], ids[99], ids[100], ids[249]]) {
      const { data } = await historyOf(owner, `audits/${id}`);
      expect(data).toMatchObject([{ type: 'audit.created', entry: { id: batch?.id, keyId: batch?.keyId } }]);
    }
    expect(typesOf(await historyOf(owner, 'companies/com_a'))).toEqual([
      'company.updated',
      'company.created',
    ]);
    expect(await historyOf(owner, 'mentions/com_a')).toMatchObject({
      data: [],
      pagination: { hasMore: false },
    });
  });

  test('has the entry of the import that added the record', async () => {
    const { owner, workspaceId, write } = await createWorkspace();
    const row = (id: string) => ({
      id,
      companyId: 'com_a',
      title: id,
      status: 'draft',
      createdAt: '2026-01-01T00:00:00Z',
      updatedAt: '2026-01-02T00:00:00Z',
    });
    for (const file of ['1', '2', '3']) {
      await importText(pool, workspaceId, 'content', ndjson([row(`con_${file}_a`), row(`con_${file}_b`)]));
    }
    await importText(pool, workspaceId, 'companies', ndjson([{ id: 'com_b', name: 'B' }]));
    await write('PATCH', '/content/con_2_b', { title: 'Changed' });
    const imports = (await logOf(owner, 'records.imported')).filter(({ resource }) => resource === 'content');
    for (const [i, file] of ['3', '2', '1'].entries()) {
      const { data } = await historyOf(owner, `content/con_${file}_b`);
      expect(data.at(-1)).toMatchObject({
        type: 'content.created',
        entry: { id: imports[i]?.id, kind: 'records.imported', actor: null, keyId: null },
      });
      expect(data).toHaveLength(file === '2' ? 2 : 1);
    }
  });

  test('names no import if several of them were adding records of the resource', async () => {
    const { owner, workspaceId } = await createWorkspace();
    const companies = (name: string, from: number, to: number) =>
      Buffer.from(
        ndjson(Array.from({ length: to - from }, (_, i) => ({ id: `com_${name}_${from + i}`, name }))),
      );
    const imports = () => logOf(owner, 'records.imported');
    // The second import runs between two batches of the first one.
    async function* file() {
      yield companies('long', 0, BATCH_RECORDS + 10);
      await waitFor(async () => expect(await imports()).toHaveLength(1));
      await importText(pool, workspaceId, 'companies', companies('short', 0, 2));
      yield companies('long', BATCH_RECORDS + 10, BATCH_RECORDS + 20);
    }
    const resource = resourceNamed('companies');
    const input = Readable.from(file(), { highWaterMark: 1 });
    await importRecords({
      pool,
      workspaceId,
      resource,
      input,
      by: OPERATOR,
      format: 'ndjson',
      onReject: () => undefined,
    });
    const [, long] = await imports();
    const importOf = async (id: string) => (await historyOf(owner, `companies/${id}`)).data[0]?.entry;
    expect(await importOf('com_short_1')).toBeNull();
    expect(await importOf(`com_long_${BATCH_RECORDS + 19}`)).toMatchObject({ id: long?.id });
  });
});

describe('a request for a history', () => {
  test('is for members of the workspace only, and has no changes of other workspaces', async () => {
    const { owner, workspaceId } = await createWorkspace();
    const stranger = await dashboard.owner();
    const path = historyPath(workspaceId, 'companies/com_a');
    expectFailure(await stranger.send('GET', path), 'not_found', 'There is no such workspace.');
    expectFailure(await dashboard.nobody.send('GET', path), 'not_signed_in');
    expect(await historyOf(stranger, 'companies/com_a')).toMatchObject({ data: [] });
    expect((await historyOf(owner, 'companies/com_a')).data).toHaveLength(1);
  });

  test('refuses what it does not know, and cursors of other records', async () => {
    const { owner, workspaceId, write } = await createWorkspace();
    await write('PATCH', '/companies/com_a', { name: 'Acme Ltd' });
    const get = (record: string, params = {}) =>
      owner.send('GET', urlOf(historyPath(workspaceId, record), params));
    expectFailure(await get('keys/key_1'), 'not_found', 'There is no such path.');
    expectFailure(await get('companies/not%20an%20id'), 'not_found', 'There is no such company.');
    expectFailure(await get('companies/com_a', { limit: 101 }), 'invalid_parameter', '"limit"');
    expectFailure(await get('companies/com_a', { sort: 'created-ascending' }), 'invalid_parameter', '"sort"');
    expectFailure(await get('companies/com_a', { after: 'now' }), 'invalid_parameter', '"after"');
    expectFailure(await get('companies/com_a', { direction: 'before' }), 'invalid_parameter', '"direction"');
    const { pagination } = await historyOf(owner, 'companies/com_a', { limit: 1 });
    const cursor = pagination.nextCursor ?? '';
    expect(typesOf(await historyOf(owner, 'companies/com_a', { cursor }))).toEqual(['company.created']);
    expectFailure(await get('companies/com_b', { cursor }), 'cursor_mismatch');
    expectFailure(await get('content/com_a', { cursor }), 'cursor_mismatch');
  });
});
