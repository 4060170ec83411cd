import { expect, test } from 'vitest';
import { urlOf, walk } from '../../../test/harness/lists.ts';
import { seedChanges } from '../../../test/harness/records.ts';
import { SEARCHED_ROWS_MAX } from '../../config/limits.ts';
import { createHistoryWorld, type HistoryPage, historyPath, typesOf } from './history.fixture.ts';

const { pool, createWorkspace, historyOf } = await createHistoryWorld();

test('a search of the history reads a bounded part of the feed, then continues, and finds each change once', async () => {
  const { owner, workspaceId } = await createWorkspace();
  const change = (type: string, recordId: string, more = {}) => ({
    type: `content.${type}`,
    recordId,
    companyId: 'com_a',
    doc: '{}',
    ...more,
  });
  const updated = (recordId: string) => change('updated', recordId, { changed: ['title'] });
  await seedChanges(pool, workspaceId, [
    change('created', 'con_x'),
    ...Array.from({ length: 150 }, (_, i) => updated(i % 70 === 0 ? 'con_x' : 'con_y')),
  ]);
  // Each change of another type is a row of its own.
  const others = Array.from({ length: SEARCHED_ROWS_MAX + 10 }, (_, i) => ({
    ...change('', 'con_x'),
    type: i % 2 === 0 ? 'company.updated' : 'company.deleted',
  }));
  await seedChanges(pool, workspaceId, others);
  await seedChanges(
    pool,
    workspaceId,
    Array.from({ length: 350 }, (_, i) => updated(i % 60 === 0 ? 'con_x' : 'con_y')),
  );
  const all = ['created', ...Array.from({ length: 3 + 6 }, () => 'updated')]
    .map((type) => `content.${type}`)
    .toReversed();
  for (const limit of [1, 3, 100]) {
    const pages = (await walk(
      (params) => owner.send('GET', urlOf(historyPath(workspaceId, 'content/con_x'), params)),
      {
        limit,
      },
    )) as unknown as readonly HistoryPage[];
    expect(pages.flatMap(typesOf)).toEqual(all);
    expect(new Set(pages.flatMap(({ data }) => data.map(({ id }) => id))).size).toBe(all.length);
    for (const { data, pagination } of pages) {
      expect(pagination.hasMore).toBe(pagination.nextCursor !== null);
      if (data.length < limit && pagination.hasMore) expect(pagination.searchedTo).toMatch(/Z$/);
    }
    expect(pages.some(({ pagination }) => pagination.searchedTo !== undefined)).toBe(true);
  }
  const { data, pagination } = await historyOf(owner, 'content/con_x', { limit: 100 });
  expect([data.length, pagination.hasMore]).toEqual([6, true]);
});

test('a search begins at the last change of a record that names its time', async () => {
  const { owner, workspaceId, write } = await createWorkspace();
  await write('POST', '/content', { id: 'con_a', companyId: 'com_a', title: 'A' });
  await write('POST', '/audits', {
    id: 'aud_a',
    companyId: 'com_a',
    headlineScore: 1,
    completedAt: '2026-03-01T09:30:00Z',
  });
  await seedChanges(
    pool,
    workspaceId,
    Array.from({ length: SEARCHED_ROWS_MAX + 10 }, (_, i) => ({
      type: i % 2 === 0 ? 'company.updated' : 'company.deleted',
      recordId: 'com_x',
      companyId: 'com_x',
      doc: '{}',
    })),
  );
  for (const record of ['content/con_a', 'audits/aud_a']) {
    const { data, pagination } = await historyOf(owner, record);
    expect([data.length, pagination.hasMore]).toEqual([1, false]);
  }
  expect((await historyOf(owner, 'companies/com_a')).pagination.hasMore).toBe(true);
});

test('a history has no creation at its end if the feed no longer has it', async () => {
  const { owner, workspaceId, write } = await createWorkspace();
  await pool.query('delete from changes where workspace_id = $1', [workspaceId]);
  await write('PATCH', '/companies/com_a', { name: 'Acme Ltd' });
  const page = await historyOf(owner, 'companies/com_a');
  expect([typesOf(page), page.pagination.hasMore]).toEqual([['company.updated'], false]);
});

test('a history shows a change without its entry if the log no longer has it', async () => {
  const { owner, workspaceId } = await createWorkspace();
  await pool.query('delete from audit_log where workspace_id = $1', [workspaceId]);
  expect((await historyOf(owner, 'companies/com_a')).data).toMatchObject([
    { type: 'company.created', entry: null },
  ]);
});
