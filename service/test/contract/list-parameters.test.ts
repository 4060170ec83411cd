import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '@svc/sdk/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure, JSON_TYPE } from '../harness/answers.ts';
import { idsOf, LISTS, pageOf } from '../harness/lists.ts';
import { seedRecords } from '../harness/records.ts';
import { createWorld, ITEMS, seedRow, type World } from '../harness/world.ts';

/** Enough for the largest page and one more item. */
const MANY = PAGE_LIMIT_MAX + 1;

let world: World;
beforeAll(async () => {
  world = await createWorld();
  for (const list of LISTS) {
    const rows = Array.from({ length: MANY - ITEMS }, (_, index) => seedRow(list, ITEMS + index));
    await seedRecords(world.service.pool, world.workspaceId, list.resource, rows);
  }
});

describe.each(LISTS)('the parameters of $path', (list) => {
  test.each([1, 9, 50, 100])('a limit of %i is accepted and applied', async (limit) => {
    const page = pageOf(await world.get(list, { limit }));
    expect(page.data).toHaveLength(limit);
    expect(page.pagination.hasMore).toBe(true);
  });

  test('a page has 50 items without a limit', async () => {
    const answer = await world.get(list);
    expect(answer.headers['content-type']).toBe(JSON_TYPE);
    expect(pageOf(answer).data).toHaveLength(PAGE_LIMIT_DEFAULT);
  });

  test.each([
    '0',
    '101',
    '-1',
    'abc',
    '1.5',
    '',
    ' 5',
    '5 ',
    '+5',
    '05',
    '1e1',
    '0x10',
    '٣',
    '1000000000000',
  ])('a limit of %j is refused, and the range is named', async (limit) => {
    expectFailure(await world.get(list, { limit }), 'invalid_parameter', '"limit"', '1 to 100');
  });

  test('the direction forward is the default', async () => {
    const forward = pageOf(await world.get(list, { direction: 'forward', limit: 5 }));
    expect(idsOf(forward)).toEqual(idsOf(pageOf(await world.get(list, { limit: 5 }))));
  });

  test.each(['after', 'Forward', '', 'backward'])('the direction %j is refused', async (direction) => {
    expectFailure(
      await world.get(list, { direction }),
      'invalid_parameter',
      '"direction"',
      'forward or before',
    );
  });

  test.each(['companyID', 'offset', 'Limit', '__proto__', 'constructor', ''])(
    'the refusal of the unknown parameter %j names it and the allowed ones',
    async (name) => {
      const answer = await world.service.request(world.token, `${list.path}?${name}=1`);
      expectFailure(answer, 'invalid_parameter', JSON.stringify(name), 'cursor, limit, direction');
    },
  );

  test.each(['cursor', 'limit', 'direction', ...list.filters.map(({ name }) => name)])(
    'the parameter %s is refused if it is repeated, also with the same value',
    async (name) => {
      const answer = await world.service.request(world.token, `${list.path}?${name}=1&${name}=1`);
      expectFailure(answer, 'invalid_parameter', `"${name}"`, 'once');
    },
  );

  test.each(['id[]=1', 'limit[]=1', 'limit[a]=1'])('the parameter syntax %s is unknown', async (query) => {
    expectFailure(await world.service.request(world.token, `${list.path}?${query}`), 'invalid_parameter');
  });

  if (list.resource.list.sortable) {
    test.each(list.sorts)('the sort %s is accepted', async (sort) => {
      expect((await world.get(list, { sort })).status).toBe(200);
    });
    test.each(['created', 'id-ascending', 'created-Descending', '', 'createdAt-ascending'])(
      'the sort %j is refused, and every allowed one is named',
      async (sort) => {
        expectFailure(await world.get(list, { sort }), 'invalid_parameter', '"sort"', ...list.sorts);
      },
    );
  } else {
    test('a sort is refused as unknown, also the default one', async () => {
      expectFailure(await world.get(list, { sort: 'created-descending' }), 'invalid_parameter', '"sort"');
    });
  }

  if (list.filters.length === 0) return;
  test.each(list.filters)('the filter $name returns only matching records', async ({ name, good, other }) => {
    const field = name === 'status' && list.name === 'api-keys' ? 'revokedAt' : name;
    const holds = (item: object, value: string): boolean => {
      const found: unknown = Reflect.get(item, field);
      return field === 'revokedAt' ? (found === null) === (value === 'active') : found === value;
    };
    for (const value of [good, other]) {
      const { data } = pageOf(await world.get(list, { [name]: value, limit: PAGE_LIMIT_MAX }));
      expect(data.length).toBeGreaterThan(0);
      expect(data.filter((item) => !holds(item, value))).toEqual([]);
    }
  });

  test.each(list.filters)(
    'the refusal of an invalid value of the filter $name names the filter',
    async ({ name, bad }) => {
      for (const value of [bad, '', 'x'.repeat(201)]) {
        expectFailure(await world.get(list, { [name]: value }), 'invalid_parameter', `"${name}"`);
      }
    },
  );
});
