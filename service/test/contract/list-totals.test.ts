import { TOTAL_MAX_ITEMS } from '@svc/sdk/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { LISTS, type ListCase, type Params, pageOf, urlOf } from '../harness/lists.ts';
import { resourceNamed, type SeedRow, seedRecords } from '../harness/records.ts';
import { createTestService, type TestService } from '../harness/service.ts';
import { createWorld, type World } from '../harness/world.ts';

let world: World;
let service: TestService;
beforeAll(async () => {
  world = await createWorld();
  service = world.service;
});

const withTotal = LISTS.filter(({ resource }) => resource.list.total);

/** `count` items. Of API keys, every tenth is revoked. */
const rows = (list: ListCase, from: number, count: number): readonly SeedRow[] =>
  Array.from({ length: count }, (_, i) => ({
    id: `${list.resource.idPrefix}_total_${from + i}`,
    createdAt: '2026-03-01T09:30:00Z',
    ...(list.name === 'api-keys'
      ? { companyId: null, revokedAt: i % 10 === 0 ? '2026-03-02T00:00:00Z' : null }
      : {}),
  }));

test('only the lists of companies and API keys have a total', () => {
  expect(withTotal.map(({ name }) => name)).toEqual(['companies', 'api-keys']);
});

test.each(LISTS.filter((list) => !withTotal.includes(list)))('$path has no total', async (list) => {
  for (const params of [{}, { limit: 1 }, { direction: 'before' }] as const) {
    expect(pageOf(await world.get(list, params)).pagination).not.toHaveProperty('total');
  }
});

describe.each(withTotal)('the total of $path', (list) => {
  test('is on every page up to 1,000 items, and on none above', async () => {
    const workspaceId = await service.workspace();
    const token = await service.token(workspaceId, { mode: 'test' });
    const own = list.name === 'api-keys' ? 1 : 0;
    const page = async (params: Params = {}) =>
      pageOf(await service.request(token, urlOf(list.path, { limit: 2, ...params }))).pagination;
    const seed = (from: number, count: number) =>
      seedRecords(service.pool, workspaceId, resourceNamed(list.name), rows(list, from, count));

    await seed(0, TOTAL_MAX_ITEMS - own);
    const first = await page();
    expect(first.total).toBe(TOTAL_MAX_ITEMS);
    expect((await page({ cursor: first.nextCursor ?? '' })).total).toBe(TOTAL_MAX_ITEMS);
    expect((await page({ direction: 'before' })).total).toBe(TOTAL_MAX_ITEMS);
    await seed(TOTAL_MAX_ITEMS, 1);
    expect(await page()).not.toHaveProperty('total');
    expect(await page({ cursor: first.nextCursor ?? '' })).not.toHaveProperty('total');
    expect((await page()).hasMore).toBe(true);
  });
});

test('the total of a filtered list counts the matching items, in a list of any size', async () => {
  const workspaceId = await service.workspace();
  const token = await service.token(workspaceId, { mode: 'test' });
  const list = withTotal.find(({ name }) => name === 'api-keys');
  if (list === undefined) throw new Error('the list of API keys has a total');
  await seedRecords(service.pool, workspaceId, list.resource, rows(list, 0, TOTAL_MAX_ITEMS + 200));
  const total = async (params: Params) =>
    pageOf(await service.request(token, urlOf(list.path, params))).pagination.total;
  expect(await total({})).toBeUndefined();
  expect(await total({ status: 'revoked' })).toBe(120);
  expect(await total({ status: 'active' })).toBeUndefined();
});

test('the total for a key that is limited to a company counts what the key can see', async () => {
  const other = await createTestService({ database: service.database, clock: service.clock });
  const limited = await other.token(world.workspaceId, { mode: 'test', companyId: 'com_one' });
  const total = async (path: string) => pageOf(await other.request(limited, path)).pagination.total;
  expect(await total('/v1/companies')).toBe(1);
  const keys = await other.request(limited, '/v1/api-keys');
  expect(await total('/v1/api-keys')).toBe(pageOf(keys).data.length);
});
