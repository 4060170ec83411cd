import { beforeAll, describe, expect, test } from 'vitest';
import { bigQuery, idsOf, LISTS, type ListCase, type Params, pageOf, urlOf, walk } from '../harness/lists.ts';
import { type SeedRow, seedRecords } from '../harness/records.ts';
import { createWorld, ITEMS, seedRow, type World } from '../harness/world.ts';

const LIMIT = 4;
/** The tables of the lists whose relation is a view. A cluster deletes nothing through a view. */
const TABLES: Readonly<Record<string, string>> = { 'api-keys': 'api_keys', 'audit-log': 'audit_log' };

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

/** Each sort without a filter, and each filter in the default order. */
const iterations = (list: ListCase) => [
  ...list.sorts.map((sort) => ({
    what: sort,
    sort,
    params: (list.resource.list.sortable ? { sort } : {}) as Params,
    equal: {},
  })),
  ...list.filters.map(({ name, column, other }) => ({
    what: `${name}=${other}`,
    sort: 'created-descending',
    params: { [name]: other } as Params,
    equal: { [column]: other },
  })),
];

describe.each(LISTS)('the pages of $path', (list) => {
  const get = (params: Params) => world.get(list, params);

  test.each(iterations(list))(
    'joined forward, are the whole list: $what',
    async ({ sort, params, equal }) => {
      const all = await bigQuery(world.service.pool, world.workspaceId, list, { sort, equal });
      expect(all.length).toBeGreaterThan(LIMIT);
      const pages = await walk(get, { ...params, limit: LIMIT });
      expect(pages.flatMap(idsOf)).toEqual(all);
      expect(pages.map(({ data }) => data.length).slice(0, -1)).toEqual(pages.slice(1).map(() => LIMIT));
      for (const { pagination } of pages) {
        expect(pagination.hasMore).toBe(pagination.nextCursor !== null);
        if (pagination.hasMore) expect(pagination.nextCursor).toBe(pagination.endCursor);
      }
    },
  );

  test.each(iterations(list))(
    'joined backwards, are the whole list: $what',
    async ({ sort, params, equal }) => {
      const all = await bigQuery(world.service.pool, world.workspaceId, list, { sort, equal });
      const pages = await walk(get, { ...params, limit: LIMIT, direction: 'before' });
      expect(pages.toReversed().flatMap(idsOf)).toEqual(all);
      for (const { pagination } of pages) {
        expect(pagination.hasMore).toBe(pagination.nextCursor !== null);
        if (pagination.hasMore) expect(pagination.nextCursor).toBe(pagination.startCursor);
      }
    },
  );

  test('the cursor that loaded a page returns the whole page before it with direction=before', async () => {
    const pages = await walk(get, { limit: LIMIT });
    for (const [index, page] of pages.slice(0, -1).entries()) {
      const cursor = page.pagination.nextCursor ?? '';
      const back = pageOf(await get({ cursor, limit: LIMIT, direction: 'before' }));
      expect(back.data).toEqual(page.data);
      expect(back.pagination.hasMore).toBe(index > 0);
    }
  });

  test('from any page, reading can continue in both directions', async () => {
    const [first, second, third] = await walk(get, { limit: LIMIT });
    const { startCursor, endCursor } = second?.pagination ?? {};
    const at = async (cursor: string | null | undefined, direction: string) =>
      pageOf(await get({ cursor: cursor ?? '', direction, limit: LIMIT })).data;
    expect(await at(startCursor, 'before')).toEqual(first?.data);
    expect(await at(startCursor, 'forward')).toEqual(second?.data);
    expect(await at(endCursor, 'before')).toEqual(second?.data);
    expect(await at(endCursor, 'forward')).toEqual(third?.data);
  });

  test('before without a cursor starts at the end of the list', async () => {
    const all = await bigQuery(world.service.pool, world.workspaceId, list);
    const page = pageOf(await get({ direction: 'before', limit: LIMIT }));
    expect(idsOf(page)).toEqual(all.slice(-LIMIT));
    expect(pageOf(await get({ cursor: page.pagination.endCursor ?? '' })).data).toEqual([]);
  });

  test('limit and direction may change from page to page', async () => {
    const all = await bigQuery(world.service.pool, world.workspaceId, list);
    const one = pageOf(await get({ limit: 1 })).pagination.nextCursor ?? '';
    const six = pageOf(await get({ cursor: one, limit: 6 }));
    expect(idsOf(six)).toEqual(all.slice(1, 7));
    const back = pageOf(
      await get({ cursor: six.pagination.nextCursor ?? '', limit: 3, direction: 'before' }),
    );
    expect(idsOf(back)).toEqual(all.slice(4, 7));
    const further = pageOf(
      await get({ cursor: back.pagination.nextCursor ?? '', limit: 2, direction: 'before' }),
    );
    expect(idsOf(further)).toEqual(all.slice(2, 4));
  });

  test('the same request returns the same bytes twice, with the same cursors', async () => {
    const first = await get({ limit: LIMIT });
    expect((await get({ limit: LIMIT })).text).toBe(first.text);
    const cursor = pageOf(first).pagination.nextCursor ?? '';
    for (const direction of ['forward', 'before']) {
      const params = { cursor, limit: LIMIT, direction };
      expect((await get(params)).text).toBe((await get(params)).text);
    }
  });

  test('a page that ends exactly with the list has no next page', async () => {
    const all = await bigQuery(world.service.pool, world.workspaceId, list);
    const page = pageOf(await get({ limit: all.length }));
    expect(idsOf(page)).toEqual(all);
    expect(page.pagination).toMatchObject({ nextCursor: null, hasMore: false });
    expect(pageOf(await get({ limit: all.length - 1 })).pagination.hasMore).toBe(true);
  });

  test('an empty page that was requested with a cursor has cursors of the same gap', async () => {
    const last = (await walk(get, { limit: LIMIT })).at(-1);
    const empty = pageOf(await get({ cursor: last?.pagination.endCursor ?? '' }));
    const { nextCursor, hasMore, startCursor, endCursor } = empty.pagination;
    expect({ data: empty.data, nextCursor, hasMore }).toEqual({ data: [], nextCursor: null, hasMore: false });
    expect(startCursor).not.toBeNull();
    expect(endCursor).toBe(startCursor);
    const back = pageOf(await get({ cursor: startCursor ?? '', direction: 'before', limit: LIMIT }));
    const all = await bigQuery(world.service.pool, world.workspaceId, list);
    expect(idsOf(back)).toEqual(all.slice(-LIMIT));
  });
});

describe.each(LISTS)('changes between the pages of $path', (list) => {
  const get = (params: Params) => world.get(list, params);
  const insert = (...rows: readonly SeedRow[]) =>
    seedRecords(world.service.pool, world.workspaceId, list.resource, rows);
  const remove = (ids: readonly string[]) =>
    world.service.pool.query(
      `delete from ${TABLES[list.name] ?? list.resource.list.relation} where workspace_id = $1 and id = any($2)`,
      [world.workspaceId, ids],
    );

  test("newer items are seen by polling the newest page's startCursor, each once", async () => {
    const newest = pageOf(await get({ limit: LIMIT }));
    let cursor = newest.pagination.startCursor ?? '';
    const poll = async () => {
      const page = pageOf(await get({ cursor, direction: 'before' }));
      cursor = page.pagination.startCursor ?? '';
      return idsOf(page);
    };
    const newer = (index: number): SeedRow => ({
      ...seedRow(list, index),
      createdAt: `2099-01-01T00:00:00.000${index}Z`,
    });
    expect(await poll()).toEqual([]);
    expect(await poll()).toEqual([]);
    await insert(newer(101), newer(102));
    expect(await poll()).toEqual([newer(102).id, newer(101).id]);
    expect(await poll()).toEqual([]);
    await insert(newer(103));
    expect(await poll()).toEqual([newer(103).id]);
  });

  test('items deleted between pages, also those at the boundary, move no other item', async () => {
    const all = await bigQuery(world.service.pool, world.workspaceId, list);
    const first = pageOf(await get({ limit: LIMIT + 2 }));
    const cursor = first.pagination.nextCursor ?? '';
    const gone = all.slice(LIMIT + 1, LIMIT + 3);
    const rest = all.filter((id) => !gone.includes(id));
    await remove(gone);
    const second = pageOf(await get({ cursor, limit: LIMIT }));
    expect(idsOf(second)).toEqual(rest.slice(LIMIT + 1, LIMIT + 1 + LIMIT));
    const back = pageOf(await get({ cursor, limit: LIMIT, direction: 'before' }));
    expect(idsOf(back)).toEqual(rest.slice(1, LIMIT + 1));
  });

  test('items inserted between pages are on the side of the gap that matches the order of the list', async () => {
    const all = await bigQuery(world.service.pool, world.workspaceId, list);
    const first = pageOf(await get({ limit: LIMIT }));
    const cursor = first.pagination.nextCursor ?? '';
    const boundary = all.slice(LIMIT - 1, LIMIT + 1);
    const { rows } = await world.service.pool.query<{ at: string }>(
      `select created_at::text as at from ${list.resource.list.relation} where workspace_id = $1 and id = any($2) order by created_at desc, id desc`,
      [world.workspaceId, boundary],
    );
    const [before, after] = boundary;
    // Directly before and after the item at the gap. The times are equal, so the id decides.
    await insert(
      { ...seedRow(list, 0), id: `${before}0`, createdAt: rows[0]?.at ?? '' },
      { ...seedRow(list, 0), id: `${after}0`, createdAt: rows[1]?.at ?? '' },
    );
    const forward = idsOf(pageOf(await get({ cursor, limit: LIMIT })));
    expect(forward.slice(0, 2)).toEqual([`${after}0`, after]);
    const back = idsOf(pageOf(await get({ cursor, limit: LIMIT, direction: 'before' })));
    expect(back.slice(-2)).toEqual([`${before}0`, before]);
    expect(idsOf(first)).not.toContain(`${before}0`);
  });
});

describe.each(LISTS)('an empty $path', (list) => {
  test('has no item and no cursor at all, in both directions', async () => {
    const { service } = world;
    const workspaceId = await service.workspace();
    const token = await service.token(workspaceId, { mode: 'test' });
    // The key of the request is an item too, and its creation is an entry. The filters exclude both.
    const filters: Params =
      list.name === 'api-keys'
        ? { status: 'revoked' }
        : list.name === 'audit-log'
          ? { kind: 'api.request' }
          : {};
    const total = list.resource.list.total ? { total: 0 } : {};
    for (const direction of ['forward', 'before']) {
      const answer = await service.request(token, urlOf(list.path, { ...filters, direction }));
      expect(answer.json()).toEqual({
        data: [],
        pagination: { nextCursor: null, hasMore: false, startCursor: null, endCursor: null, ...total },
      });
    }
  });
});

test('every list has enough items for the pages of these tests', () => {
  expect(ITEMS).toBeGreaterThan(3 * LIMIT);
});
