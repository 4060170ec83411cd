import { expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import { createTestDashboard } from '../../../test/harness/dashboard.ts';
import { importText, ndjson } from '../../../test/harness/import.ts';
import { inCluster } from '../../../test/harness/locks.ts';
import { indexWords } from '../../../test/harness/records.ts';
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

test('the search of a workspace finds records and keys: ids first, then exact names and URLs, the starts of titles, words, and parts', async () => {
  const found = await search('ZEBRA');
  expect(found.partial).toBe(false);
  expect(ids(found)).toEqual([
    'exact com_a',
    'start men_1',
    expect.stringMatching(/^start key_/),
    ...['word com_b', 'word men_2', 'word con_1'],
  ]);
  expect(ids(await search('zebra'))[0]).toBe('id zebra');
  expect((await search('com_b')).data).toEqual([
    { resource: 'companies', id: 'com_b', title: 'A zebra crossing', detail: 'b.example', match: 'id' },
  ]);
  expect(ids(await search('b.example'))).toEqual(['exact com_b']);
  expect(ids(await search('https://zebra.example/2'))).toEqual(['exact men_2']);
  expect((await search('https://zebra.example/2')).data[0]?.detail).toBe('https://zebra.example/2');
  expect(ids(await search('ebra')).length).toBe(6);
  expect(new Set(ids(await search('ebra')).map((each) => each.split(' ')[0]))).toEqual(new Set(['part']));
});

test('the search of a workspace takes the signs of a pattern for the ends of words, and finds nothing of other workspaces', async () => {
  expect(ids(await search('%_'))).toEqual(['part com_100']);
  expect(ids(await search('zebr_'))).toHaveLength(5);
  expect((await search('zebra', neighbour)).data).toEqual([]);
});

test('the search of a workspace refuses what it cannot search for', async () => {
  for (const query of ['', '?q=', `?q=${'x'.repeat(101)}`, '?q=%00', '?q=a&q=b', '?text=a'])
    expectFailure(await owner.send('GET', `/workspaces/${workspaceId}/search${query}`), 'invalid_parameter');
  expectFailure(await neighbour.send('GET', `/workspaces/${workspaceId}/search?q=a`), 'not_found');
});

test('the search of a workspace with many similar titles returns ten of a resource, and finds the rare one', async () => {
  const many = Array.from({ length: SEARCHED_ROWS_MAX }, (_, i) =>
    content(`con_many_${i}`, `Similar title ${i}`),
  );
  await add('content', ...many);
  await indexWords(service.pool);
  const similar = await search('similar');
  expect(similar.data).toHaveLength(SEARCH_HITS_MAX);
  expect(similar.data[0]).toMatchObject({ id: `con_many_${SEARCHED_ROWS_MAX - 1}`, match: 'start' });
  expect(similar.partial).toBe(false);
  expect(ids(await search('similar 17'))).toHaveLength(SEARCH_HITS_MAX);
  expect(ids(await search('similar 1717'))).toEqual(['word con_many_1717']);
  // A cluster does not search by the index: the record is not among the newest, and the answer says so.
  expect(ids(await search('saves water'))).toEqual(inCluster() ? [] : ['word con_1']);
  expect(await search('aves')).toEqual({ data: [], partial: inCluster() });
  expect(ids(await search('con_1'))[0]).toBe('id con_1');
});

test('the search of a workspace finds an old company by its name among many with names that start with it', async () => {
  const many = Array.from({ length: SEARCHED_ROWS_MAX }, (_, i) => ({
    id: `com_q${i}`,
    name: `Quagga ${i}`,
  }));
  await add('companies', { id: 'com_quagga', name: 'Quagga' });
  await add('companies', ...many);
  const { data } = await search('quagga');
  expect(data).toHaveLength(SEARCH_HITS_MAX);
  expect(data[0]).toMatchObject({ id: 'com_quagga', match: 'exact' });
});
