import { expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import { createTestDashboard } from '../../../test/harness/dashboard.ts';
import { importText, ndjson } from '../../../test/harness/import.ts';
import { createTestService } from '../../../test/harness/service.ts';
import { SEARCHED_ROWS_MAX } from '../../config/limits.ts';
import { SEARCH_HITS_MAX } from '../limits.ts';
import type { SearchHits } from '../wire.ts';

const service = await createTestService();
const dashboard = createTestDashboard(service);
const owner = await dashboard.owner();
const neighbour = await dashboard.owner();
const { workspaceId } = owner;

const mention = (id: string, title: string, url = 'https://a.example/1') => ({
  ...{ id, title, url, companyId: 'com_a', source: 'a.example', excerpt: '', sentiment: 'neutral' },
  publishedAt: '2026-03-01T09:30:00Z',
});
const content = (id: string, title: string) => ({ id, title, companyId: 'com_a' });
const add = (resource: string, ...records: readonly object[]) =>
  importText(service.pool, workspaceId, resource, ndjson(records));

await add(
  'companies',
  { id: 'com_a', name: 'Zebra' },
  { id: 'com_b', name: 'A zebra crossing', domain: 'b.example' },
);
await add('companies', { id: 'com_100', name: '100 %_ sure' });
await add('audits', {
  id: 'zebra',
  companyId: 'com_a',
  headlineScore: 5,
  completedAt: '2026-03-01T09:30:00Z',
});
await add('content', content('con_1', 'How Zebra saves water'), content('con_2', 'Another text'));
await add(
  'mentions',
  mention('men_1', 'Zebras in the press'),
  mention('men_2', 'News', 'https://zebra.example/2'),
);
await service.token(workspaceId, { name: 'zebra crawler' });

const search = async (q: string, member = owner): Promise<SearchHits> => {
  const path = `/workspaces/${member.workspaceId}/search?${new URLSearchParams({ q })}`;
  const answer = await member.send('GET', path);
  expect(answer.status, answer.text).toBe(200);
  return answer.json<SearchHits>();
};
const ids = ({ data }: SearchHits): readonly string[] => data.map(({ id, match }) => `${match} ${id}`);

test('the search of a workspace finds records and keys: ids first, then the starts of titles, then parts', async () => {
  const found = await search('ZEBRA');
  expect(found.partial).toBe(false);
  expect(ids(found).slice(0, 3)).toEqual([
    'start men_1',
    'start com_a',
    expect.stringMatching(/^start key_/),
  ]);
  expect(ids(found).slice(3)).toEqual(['part men_2', 'part con_1', 'part com_b']);
  expect(ids(await search('zebra'))[0]).toBe('id zebra');
  expect((await search('com_b')).data).toEqual([
    { resource: 'companies', id: 'com_b', title: 'A zebra crossing', match: 'id' },
  ]);
  expect(ids(await search('b.example'))).toEqual(['part com_b']);
});

test('the search of a workspace takes the signs of a pattern for text, and finds nothing of other workspaces', async () => {
  expect(ids(await search('%_'))).toEqual(['part com_100']);
  expect(ids(await search('zebr_'))).toEqual([]);
  expect((await search('zebra', neighbour)).data).toEqual([]);
});

test('the search of a workspace refuses what it cannot search for', async () => {
  for (const query of ['', '?q=', `?q=${'x'.repeat(101)}`, '?q=%00', '?q=a&q=b', '?text=a'])
    expectFailure(await owner.send('GET', `/workspaces/${workspaceId}/search${query}`), 'invalid_parameter');
  expectFailure(await neighbour.send('GET', `/workspaces/${workspaceId}/search?q=a`), 'not_found');
});

test('the search of a workspace with many similar titles returns ten of a resource, and says that it is partial', async () => {
  const many = Array.from({ length: SEARCHED_ROWS_MAX }, (_, i) =>
    content(`con_many_${i}`, `Similar title ${i}`),
  );
  await add('content', ...many);
  const similar = await search('similar');
  expect(similar.data).toHaveLength(SEARCH_HITS_MAX);
  expect(similar.data[0]).toMatchObject({ id: `con_many_${SEARCHED_ROWS_MAX - 1}`, match: 'start' });
  expect(similar.partial).toBe(false);
  expect(await search('saves water')).toEqual({ data: [], partial: true });
  expect(ids(await search('con_1'))[0]).toBe('id con_1');
});
