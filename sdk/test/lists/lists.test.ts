import { RESOURCES, type Svc, SvcCursorMismatchError, SvcError, SvcInvalidParameterError } from '@svc/sdk';
import { bigQuery, COMPANY, LISTS, type ListCase, pageOf } from '@svc/service/harness/lists.ts';
import { createWorld, ITEMS } from '@svc/service/harness/world.ts';
import { describe, expect, test } from 'vitest';
import { clientOf, fetchOf } from '../client.ts';
import { collect, collectionOf, idsOf } from './lists.ts';

const world = await createWorld();
const { service, workspaceId, token } = world;
const svc = clientOf(service.app, token);
const PAGE = 4;

const orderOf = (list: ListCase, sort: string): Promise<readonly string[]> =>
  bigQuery(service.pool, workspaceId, list, { sort });

describe.each(LISTS)('$name', (list) => {
  test('`await` returns the page of the service', async () => {
    const page = await collectionOf(svc, list.name).list({ limit: PAGE });
    const { data, pagination } = pageOf(await world.get(list, { limit: PAGE }));
    expect(page.data).toEqual(data);
    expect(Object.keys(page.pagination)).toEqual(Object.keys(pagination));
  });

  test('`await` without a limit returns a page of 50', async () => {
    const { data } = pageOf(await world.get(list));
    expect((await collectionOf(svc, list.name).list()).data).toEqual(data);
  });

  test.each(list.sorts)(
    '%s: `for await` yields every record in order, and with `before` in reverse order',
    async (sort) => {
      const options = list.sorts.length > 1 ? { sort, limit: PAGE } : { limit: PAGE };
      const expected = await orderOf(list, sort);
      expect(await idsOf(collectionOf(svc, list.name).list(options))).toEqual(expected);
      expect(await idsOf(collectionOf(svc, list.name).list(options).before())).toEqual(expected.toReversed());
    },
  );

  test('`get` returns a record as the list shows it', async () => {
    const { data } = await collectionOf(svc, list.name).list({ limit: 1 });
    const [first] = data;
    expect(await collectionOf(svc, list.name).get(first?.id ?? '')).toEqual(first);
  });
});

test('`before` with the cursor that loaded a page starts with the page before it', async () => {
  const first = await svc.audits.list({ limit: PAGE });
  const cursor = first.pagination.nextCursor ?? '';
  const second = await svc.audits.list({ limit: PAGE, cursor });
  expect(second.data).not.toEqual(first.data);
  const again = await svc.audits.list({ limit: PAGE }).before(cursor);
  expect(again.data).toEqual(first.data);
  expect((await svc.audits.list({ limit: PAGE, cursor }).before()).data).toEqual(first.data);
});

test('`pages` yields pages whose items are in the order of the list, in both directions', async () => {
  const expected = await orderOf(listNamed('audits'), 'created-descending');
  const forward = await collect(svc.audits.list({ limit: PAGE }).pages());
  const backward = await collect(svc.audits.list({ limit: PAGE }).before().pages());
  expect(forward.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(expected);
  expect(backward.toReversed().flatMap(({ data }) => data.map(({ id }) => id))).toEqual(expected);
  expect(forward.map(({ data }) => data.length)).toEqual([PAGE, PAGE, PAGE, ITEMS - 3 * PAGE]);
});

test('`toArray` returns at most `max` records, and requests no more than it needs', async () => {
  const urls: string[] = [];
  const counting = clientOf(service.app, token, {
    fetch: (url, init) => {
      urls.push(url);
      return fetchOf(service.app)(url, init);
    },
  });
  const expected = await orderOf(listNamed('audits'), 'created-descending');
  const ids = async (max: number): Promise<readonly string[]> =>
    (await counting.audits.list().toArray({ max })).map(({ id }) => id);
  expect(await ids(3)).toEqual(expected.slice(0, 3));
  expect(urls.splice(0)).toEqual([expect.stringContaining('limit=3')]);
  expect(await ids(0)).toEqual([]);
  expect(urls.splice(0)).toEqual([]);
  expect(await ids(Number.POSITIVE_INFINITY)).toEqual(expected);
  expect(urls.splice(0)).toHaveLength(1);
});

test('a filter applies to the whole iteration', async () => {
  const expected = await bigQuery(service.pool, workspaceId, listNamed('content'), {
    equal: { company_id: COMPANY, status: 'draft' },
  });
  expect(expected.length).toBeGreaterThan(1);
  expect(await idsOf(svc.content.list({ companyId: COMPANY, status: 'draft', limit: 1 }))).toEqual(expected);
});

test('an empty list has no records and no more pages, and its total, if it has one, is 0', async () => {
  const empty = clientOf(service.app, await service.token(await service.workspace(), { mode: 'test' }));
  for (const { name } of LISTS) {
    // The workspace has one key, and an entry about its creation.
    if (name === 'api-keys' || name === 'audit-log') continue;
    expect(await idsOf(collectionOf(empty, name).list())).toEqual([]);
    expect(await idsOf(collectionOf(empty, name).list().before())).toEqual([]);
  }
  expect((await empty.companies.list()).pagination).toMatchObject({ hasMore: false, total: 0 });
});

test('empty pages in the middle of a list do not end an iteration', async () => {
  const expected = await orderOf(listNamed('audits'), 'created-descending');
  // A service may also respond with an empty page whose cursors mark the same gap. Here, every second response does.
  let calls = 0;
  const sparse = clientOf(service.app, token, {
    fetch: async (url, init) => {
      calls += 1;
      const answer = await fetchOf(service.app)(url, init);
      const cursor = new URL(url).searchParams.get('cursor');
      if (calls % 2 === 1 || cursor === null) return answer;
      const gap = { nextCursor: cursor, hasMore: true, startCursor: cursor, endCursor: cursor };
      return { ...answer, text: async () => JSON.stringify({ data: [], pagination: gap }) };
    },
  });
  expect(await idsOf(sparse.audits.list({ limit: PAGE }))).toEqual(expected);
  expect(calls).toBeGreaterThan(Math.ceil(ITEMS / PAGE));
});

test('a list ends at the page without a nextCursor, also if pages have no hasMore', async () => {
  const bare = clientOf(service.app, token, {
    fetch: async (url, init) => {
      const small = new URL(url);
      small.searchParams.set('limit', String(PAGE));
      const answer = await fetchOf(service.app)(small.href, init);
      const { data, pagination } = JSON.parse(await answer.text());
      const { hasMore: _, ...others } = pagination;
      return { ...answer, text: async () => JSON.stringify({ data, pagination: others }) };
    },
  });
  const expected = await orderOf(listNamed('audits'), 'created-ascending');
  expect(await idsOf(bare.audits.list({ sort: 'created-ascending' }))).toEqual(expected);
  expect(await idsOf(bare.audits.tail({ follow: false }))).toEqual(expected);
});

test('a parameter that the service does not know is sent and refused, not left out', async () => {
  const list: (options: object) => PromiseLike<unknown> = svc.audits.list;
  await expect(list({ compnayId: COMPANY })).rejects.toThrow(SvcInvalidParameterError);
  await expect(list({ compnayId: COMPANY })).rejects.toThrow('compnayId');
});

test('a cursor of another filter set is refused', async () => {
  const { pagination } = await svc.audits.list({ limit: 1 });
  const cursor = pagination.nextCursor ?? '';
  await expect(svc.audits.list({ cursor, companyId: COMPANY })).rejects.toThrow(SvcCursorMismatchError);
});

test('a count is exact, or approximate if requested', async () => {
  expect(await svc.audits.count()).toEqual({ count: ITEMS, approximate: false });
  expect(await svc.audits.count({ approximate: true })).toMatchObject({ approximate: true });
});

test('an id that would lead to another path is refused before anything is sent', async () => {
  for (const id of ['', '.', '..']) await expect(svc.audits.get(id)).rejects.toThrow(SvcError);
  await expect(svc.audits.get('a/../b')).rejects.toThrow('There is no such audit');
});

test('the client has every resource of the table', () => {
  const client: Svc = svc;
  expect(Object.keys(client)).toEqual(['mode', ...Object.keys(RESOURCES)]);
});

function listNamed(name: string): ListCase {
  const list = LISTS.find((candidate) => candidate.name === name);
  if (list === undefined) throw new Error(`there is no list ${name}`);
  return list;
}
