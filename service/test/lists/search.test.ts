import { PAGE_LIMIT_MAX } from '@svc/sdk/contract';
import { describe, expect, test } from 'vitest';
import { SEARCHED_ROWS_MAX } from '../../src/config/limits.ts';
import { expectFailure } from '../harness/answers.ts';
import { COMPANY, idsOf, LISTS, type ListCase, type Params, pageOf, walk } from '../harness/lists.ts';
import { inCluster } from '../harness/locks.ts';
import { indexWords, resourceNamed, seedRecords } from '../harness/records.ts';
import { createWorld, seedRow, type World } from '../harness/world.ts';

const world = await createWorld();
const { pool } = world.service;

const SEARCHED = LISTS.filter(({ resource }) => resource.searched !== undefined);
const named = (name: string): ListCase => {
  const list = LISTS.find((each) => each.name === name);
  if (list === undefined) throw new Error(`there is no list ${name}`);
  return list;
};
const idsIn =
  ({ get }: World) =>
  async (list: ListCase, params: Params): Promise<readonly string[]> =>
    idsOf(pageOf(await get(list, { limit: PAGE_LIMIT_MAX, ...params })));
const ids = idsIn(world);

const BLOCKS = await createWorld();
/** Later records, so that all others of a workspace are in full blocks of words. */
for (const list of SEARCHED) {
  const later = Array.from({ length: 64 }, (_, i) => seedRow(list, 100 + i));
  await seedRecords(BLOCKS.service.pool, BLOCKS.workspaceId, list.resource, later);
}

const writeBlocks = async (): Promise<void> => {
  await BLOCKS.service.pool.query('delete from word_blocks');
  await indexWords(BLOCKS.service.pool);
};
const PLACES = [
  { place: 'in no block of words', of: world, settle: async () => undefined },
  { place: 'in blocks of words', of: BLOCKS, settle: writeBlocks },
];
const CASES = PLACES.flatMap((place) => SEARCHED.map((list) => ({ ...place, list, path: list.path })));

describe.each(CASES)('the search of $path, of records $place', ({ list, of: world, settle }) => {
  const ids = idsIn(world);
  const { pool } = world.service;
  const [field = ''] = list.resource.searched ?? [];
  const row = (id: string, text: string, index: number) => ({ ...seedRow(list, index), id, [field]: text });
  const prefix = list.resource.idPrefix;

  test('finds the begins of words, in upper or lower case, and the id, in the order of the list', async () => {
    await seedRecords(pool, world.workspaceId, list.resource, [
      row(`${prefix}_search_1`, 'A second Zebra opens', 3),
      row(`${prefix}_search_2`, 'The zebra closes', 6),
      row(`${prefix}_search_3`, '100 %_\\ sure', 9),
    ]);
    await settle();
    expect(await ids(list, { q: 'zebra' })).toEqual([`${prefix}_search_2`, `${prefix}_search_1`]);
    expect(await ids(list, { q: 'ze SECOND' })).toEqual([`${prefix}_search_1`]);
    expect(await ids(list, { q: 'ebra' })).toEqual([]);
    expect(await ids(list, { q: `${prefix}_search_2` })).toEqual([`${prefix}_search_2`]);
    expect(await ids(list, { q: `${prefix}_search_2`.toUpperCase() })).toEqual([]);
    expect(await ids(list, { q: 'not in any record' })).toEqual([]);
  });

  test('takes signs for the ends of words, and finds nothing without a word', async () => {
    expect(await ids(list, { q: 'su %_\\' })).toEqual([`${prefix}_search_3`]);
    expect(await ids(list, { q: '(zebra), "closes"!' })).toEqual([`${prefix}_search_2`]);
    for (const q of ['%', "'", '\\', '/', '//', '*:&|!()', ' ', 'z_bra', '0%1', "zebra':*"])
      expect({ q, found: await ids(list, { q }) }).toEqual({
        q,
        found: q.startsWith('zebra') ? [`${prefix}_search_2`, `${prefix}_search_1`] : [],
      });
  });

  test('finds words of all scripts: accents count, signs in a row are one word, and long words and many words are allowed', async () => {
    const long = 'x'.repeat(100);
    await seedRecords(pool, world.workspaceId, list.resource, [
      row(`${prefix}_words_1`, '東京タワーの写真、夜景', 12),
      row(`${prefix}_words_2`, `Écoute « Ünïversum » 🎉 y ${long}x don't`, 15),
    ]);
    await settle();
    const found = async (q: string) => (await ids(list, { q })).map((id) => id.slice(-1));
    expect(await found('東京')).toEqual(['1']);
    expect(await found('夜')).toEqual(['1']);
    expect(await found('タワー')).toEqual([]);
    expect(await found('ÜNÏ écou')).toEqual(['2']);
    expect(await found('universum')).toEqual([]);
    expect(await found('🎉')).toEqual(['2']);
    expect(await found('Y')).toEqual(['2']);
    expect(await found(long)).toEqual(['2']);
    expect(await found("don't")).toEqual(['2']);
    expect(await found('y '.repeat(50))).toEqual(['2']);
  });

  test('is part of the filters that a cursor is bound to', async () => {
    const { pagination } = pageOf(await world.get(list, { q: 'zebra', limit: 1 }));
    const cursor = pagination.nextCursor ?? '';
    expectFailure(await world.get(list, { q: 'zebr', limit: 1, cursor }), 'cursor_mismatch');
    expectFailure(await world.get(list, { limit: 1, cursor }), 'cursor_mismatch');
  });

  test.each(['', 'x'.repeat(101), 'a\0b'])('refuses %j, and names what is allowed', async (q) => {
    expectFailure(await world.get(list, { q }), 'invalid_parameter', '"q"', '1 to 100 characters');
  });
});

test('filters and searches count characters as records do, also outside of the basic plane', async () => {
  const key = await world.service.token(world.workspaceId, { access: 'write' });
  const { source, title } = named('mentions').resource.fields;
  if (source?.kind !== 'text' || title?.kind !== 'text') throw new Error('they are no texts');
  const texts = { source: '\u{1F600}'.repeat(source.max), title: '\u{1D4D0}'.repeat(title.max) };
  const { createdAt: _, ...first } = Object(pageOf(await world.get(named('mentions'))).data[0]);
  const answer = await world.service.request(key, '/v1/mentions', {
    method: 'POST',
    payload: { ...first, ...texts, id: 'men_emoji' },
  });
  expect(answer.status, answer.text).toBe(201);
  const q = texts.title.slice(0, 2 * 100);
  for (const found of [{ source: texts.source }, { q }, { q, source: texts.source }])
    expect(await ids(named('mentions'), found)).toEqual(['men_emoji']);
  for (const [name, value, allowed] of [
    ['source', `${texts.source}x`, `1 to ${source.max} characters`],
    ['q', `${q}x`, '1 to 100 characters'],
  ] as const)
    expectFailure(await world.get(named('mentions'), { [name]: value }), 'invalid_parameter', allowed);
});

test('a list that cannot be searched refuses the search, and names its parameters', async () => {
  for (const list of LISTS.filter(({ resource }) => resource.searched === undefined))
    expectFailure(await world.get(list, { q: 'zebra' }), 'invalid_parameter', '"q"', 'limit, direction');
});

test('a key of a company finds only its records', async () => {
  const key = await world.service.token(world.workspaceId, { mode: 'test', companyId: COMPANY });
  const mentions = named('mentions');
  const rows = ['com_one', 'com_two'].map((companyId, i) => ({
    ...seedRow(mentions, i),
    ...{ id: `men_scope_${i}`, companyId, title: 'Only for its company' },
  }));
  await seedRecords(pool, world.workspaceId, mentions.resource, rows);
  for (const sort of mentions.sorts) {
    const answer = await world.service.request(key, `/v1/mentions?q=only+for+its&sort=${sort}`);
    expect(idsOf(pageOf(answer))).toEqual(['men_scope_0']);
  }
});

test.each(PLACES)(
  'a part of an address finds the URLs that have it at the begin of the host, or of a part of the host, of records $place',
  async ({ of: world, settle }) => {
    const mentions = named('mentions');
    const urls = [
      'https://www.place.example/a/Path?x=1',
      'http://place.example/a/other',
      'https://myplace.example/a/path',
      'https://other.example/?to=place.example/a',
    ];
    const rows = urls.map((url, i) => ({
      ...seedRow(mentions, i),
      id: `men_url_${i}`,
      url,
      title: 'TCP/IP',
    }));
    await seedRecords(world.service.pool, world.workspaceId, mentions.resource, rows);
    await settle();
    const found = async (q: string) =>
      (await idsIn(world)(mentions, { q })).map((id) => id.slice(-1)).toSorted();
    expect(await found('place.example/a/path')).toEqual(['0']);
    expect(await found('https://PLACE.example/a/')).toEqual(['0', '1']);
    expect(await found('https://www.place.example/a/Path?x=1')).toEqual(['0']);
    expect(await found('place.example')).toEqual(['0', '1']);
    expect(await found('place.example/a_path')).toEqual([]);
    expect(await found('/a/path')).toEqual(['0', '2']);
    expect(await found('tcp/ip')).toEqual(['0', '1', '2', '3']);
    expect(await found('HTTP://place.example')).toEqual(['0', '1']);
    expect(await found('https://www.place.ex')).toEqual(['0']);
    for (const q of [
      'ftp://',
      '^/path',
      '.*/path',
      'plac./path',
      'place.example/(path',
      'place.example/\\path',
    ])
      expect({ q, found: await found(q) }).toEqual({ q, found: [] });
  },
);

test('a search for common words and a filter that no index serves stop after a bounded number of rows, and continue exactly', async () => {
  const workspaceId = await world.service.workspace();
  const token = await world.service.token(workspaceId, { mode: 'test' });
  const mentions = named('mentions');
  await seedRecords(pool, workspaceId, resourceNamed('companies'), [
    { id: COMPANY, createdAt: '2026-01-01T00:00:00Z' },
  ]);
  const count = 2 * SEARCHED_ROWS_MAX + 10;
  const [seed] = [seedRow(mentions, 0)];
  const url = 'https://t.example/a?to=https://t.example/b';
  await seedRecords(pool, workspaceId, mentions.resource, [
    {
      ...seed,
      id: 'men_a',
      companyId: COMPANY,
      title: 'similar',
      sentiment: 'neutral',
      source: 'a.example',
      url,
    },
  ]);
  // Copies of one record: times and ids in the order of the copies.
  await pool.query(
    `insert into mentions (workspace_id, id, company_id, source, url, title, excerpt, sentiment, published_at, created_at, doc)
     select workspace_id, 'men_b' || lpad(n::text, 6, '0'), company_id, source, url,
       case when n = 1 or n = $2 - 1 then 'similar rare title' else title || ' sim' end, excerpt,
       case when n = 1 or n = $2 - 1 then 'negative' else sentiment end,
       published_at + n * interval '1 second', created_at + n * interval '1 second',
       replace(doc, 'men_a', 'men_b' || lpad(n::text, 6, '0'))
     from mentions, generate_series(1, $2) n where workspace_id = $1`,
    [workspaceId, count],
  );
  const last = `men_b${String(count - 1).padStart(6, '0')}`;
  const both = [last, 'men_b000001'];
  const get = (params: Params) => {
    const given = Object.entries(params).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    return world.service.request(token, `/v1/mentions?${new URLSearchParams(given)}`);
  };
  const rare = { q: 'RARE', sort: 'published-descending' };
  // More records are in no block of words than a search compares at once.
  const before = await walk(get, rare);
  expect([before.length, before.flatMap(idsOf)]).toEqual([3, both]);
  await indexWords(pool);
  for (const [filter, most, newest] of [
    // A cluster does not search by words in blocks.
    [{ q: 'RARE' }, inCluster() ? 3 : 1, both],
    [{ q: 'sim', sentiment: 'negative' }, 3, both],
    [{ q: 'https://t.example', sentiment: 'negative' }, 3, both],
    [{ q: 't.example/a', sentiment: 'negative' }, 3, both],
    [{ q: 't.example/b', sentiment: 'negative' }, 3, []],
    [{ sentiment: 'negative' }, 3, both],
  ] as const) {
    for (const sort of ['created-descending', 'published-descending'])
      for (const direction of ['forward', 'before'] as const) {
        const pages = await walk(get, { ...filter, sort, direction });
        expect(pages.length).toBe(most);
        const found = pages.flatMap(idsOf);
        expect(found).toEqual(direction === 'forward' || most === 1 ? newest : newest.toReversed());
        if (most > 1) expect(pages[1]?.data).toEqual([]);
      }
  }
});
