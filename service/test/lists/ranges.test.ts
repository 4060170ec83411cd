import { PAGE_LIMIT_MAX, type RangeFilter, rangesOf, sortsOfRange } from '@svc/sdk/contract';
import { describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import {
  bigQuery,
  COMPANY,
  idsOf,
  LISTS,
  type ListCase,
  type Params,
  pageOf,
  urlOf,
  walk,
} from '../harness/lists.ts';
import { seedRecords } from '../harness/records.ts';
import { createWorld, seedRow } from '../harness/world.ts';

const world = await createWorld();
const { pool } = world.service;
// Other sort values than those of the seeded records, with ties.
for (const list of LISTS.filter(({ resource }) => resource.sorts !== undefined)) {
  const rows = Array.from({ length: 8 }, (_, index) => {
    const at = `2026-04-0${1 + (index >> 1)}T00:00:00.00000${index >> 1}Z`;
    const id = `${list.resource.idPrefix}_range_${index}`;
    return { ...seedRow(list, index), id, completedAt: at, publishedAt: at };
  });
  await seedRecords(pool, world.workspaceId, list.resource, rows);
}

interface RangeCase extends RangeFilter {
  readonly name: string;
}

const rangesOfCase = ({ resource }: ListCase): readonly RangeCase[] =>
  Object.entries(rangesOf(resource)).map(([name, range]) => ({ name, ...range }));

/** The parameters with which a range can be used: none for a list with one order. */
const sortFor = ({ resource }: ListCase, range: RangeFilter, order: 0 | 1): Record<string, string> =>
  resource.sorts === undefined ? {} : { sort: sortsOfRange(range)[order] ?? '' };

/** The sort values of a list as its records show them, or the database for those that they do not show. */
async function sortValues(
  list: ListCase,
  { sort }: RangeFilter,
): Promise<ReadonlyMap<string, string | number>> {
  const { relation, sorts } = list.resource.list;
  const { rows } = await pool.query<{ id: string; value: string | number }>(
    `select id, to_jsonb(${sorts[sort]?.column}) as value from ${relation} where workspace_id = $1`,
    [world.workspaceId],
  );
  return new Map(
    rows.map(({ id, value }) => [
      id,
      typeof value === 'string' ? Date.parse(value) * 1000 + micros(value) : value,
    ]),
  );
}

/** The microseconds of a time, which JavaScript leaves out. */
const micros = (time: string): number => Number(/\.\d{3}(\d{3})/.exec(time)?.[1] ?? 0);

const CASES = LISTS.flatMap((list) =>
  rangesOfCase(list).map((range) => ({ list, range, what: `${range.name} of ${list.path}` })),
);

describe.each(CASES)('the range $what', ({ list, range }) => {
  test('returns the part of the list within it, at each of its values, in both orders', async () => {
    const values = await sortValues(list, range);
    const distinct = [...new Set(values.values())].toSorted((a, b) => Number(a) - Number(b));
    expect(distinct.length).toBeGreaterThan(1);
    const meets = {
      '>=': (a: number, b: number) => a >= b,
      '<=': (a: number, b: number) => a <= b,
      '<': (a: number, b: number) => a < b,
    };
    for (const order of [0, 1] as const) {
      const sort = sortFor(list, range, order);
      const all = await bigQuery(pool, world.workspaceId, list, sort);
      for (const value of distinct) {
        const parameter = range.field.kind === 'time' ? timeOf(Number(value)) : String(value);
        const pages = await walk((params) => world.get(list, params), {
          ...sort,
          [range.name]: parameter,
          limit: 4,
        });
        const expected = all.filter((id) => meets[range.operator](Number(values.get(id)), Number(value)));
        expect(pages.flatMap(idsOf)).toEqual(expected);
        for (const { pagination } of pages)
          expect(pagination.total).toBe(list.resource.list.total ? expected.length : undefined);
      }
    }
  });

  test('returns only records of the company to a key of a company', async () => {
    if (list.resource.company === null) return;
    const key = await world.service.token(world.workspaceId, { mode: 'test', companyId: COMPANY });
    const value = range.field.kind === 'time' ? timeOf(Date.parse('2026-03-15') * 1000) : '2';
    for (const order of [0, 1] as const) {
      const params = { ...sortFor(list, range, order), limit: '3' };
      const get = (more: Params) => world.service.request(key, urlOf(list.path, more));
      const all = (await walk(get, params)).flatMap(idsOf);
      const within = (
        await walk((more) => world.get(list, more), { ...params, [range.name]: value })
      ).flatMap(idsOf);
      const found = (await walk(get, { ...params, [range.name]: value })).flatMap(idsOf);
      expect(found).toEqual(within.filter((id) => all.includes(id)));
    }
  });

  test('is refused with another sort, and the refusal names the sorts that it needs', async () => {
    for (const sort of list.sorts.filter((name) => !sortsOfRange(range).includes(name))) {
      const value = range.field.kind === 'time' ? '2026-03-01T09:30:00Z' : range.field.min;
      const answer = await world.get(list, { sort, [range.name]: value });
      expectFailure(answer, 'invalid_parameter', `"${range.name}"`, ...sortsOfRange(range));
    }
  });

  test('is refused with another value than its kind, and the refusal names what is allowed', async () => {
    const bad =
      range.field.kind === 'time' ? ['', 'yesterday', '5'] : ['', '1.5', 'x', String(range.field.max + 1)];
    for (const value of bad) {
      const answer = await world.get(list, { ...sortFor(list, range, 0), [range.name]: value });
      expectFailure(answer, 'invalid_parameter', `"${range.name}"`);
    }
  });

  test('is part of the filters that a cursor is bound to', async () => {
    const value = range.field.kind === 'time' ? '2100-01-01T00:00:00Z' : range.field.max;
    const sort = sortFor(list, range, 0);
    const { pagination } = pageOf(await world.get(list, { ...sort, limit: 1 }));
    const cursor = pagination.nextCursor ?? '';
    expectFailure(await world.get(list, { ...sort, [range.name]: value, cursor }), 'cursor_mismatch');
  });
});

/** A time with microseconds, in UTC. */
const timeOf = (at: number): string =>
  `${new Date(Math.floor(at / 1000)).toISOString().slice(0, -1)}${String(at % 1000).padStart(3, '0')}Z`;

test('two ends of a range and an equality filter apply together', async () => {
  const mentions = LISTS.find(({ name }) => name === 'mentions');
  if (mentions === undefined) throw new Error('there are no mentions');
  const range = rangesOfCase(mentions).find(({ name }) => name === 'publishedAfter');
  if (range === undefined) throw new Error('mentions have no publishedAfter');
  const times = [...new Set((await sortValues(mentions, range)).values())]
    .map(Number)
    .toSorted((a, b) => a - b);
  const [from = 0, to = 0] = [times.at(0), times.at(-1)];
  const within = { publishedAfter: timeOf(from), publishedBefore: timeOf(to + 1), limit: PAGE_LIMIT_MAX };
  for (const equal of [
    {},
    { companyId: 'com_one' },
    { source: 'news.example.com' },
    { sentiment: 'positive' },
  ]) {
    const query = { sort: 'published-descending', ...equal };
    const all = pageOf(await world.get(mentions, { ...query, limit: PAGE_LIMIT_MAX }));
    expect(all.data.length).toBeGreaterThan(0);
    expect(pageOf(await world.get(mentions, { ...query, ...within })).data).toEqual(all.data);
    const none = await world.get(mentions, { ...query, ...within, publishedBefore: timeOf(from) });
    expect(pageOf(none).data).toEqual([]);
  }
});
