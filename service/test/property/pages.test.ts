import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Sort, sortsOf } from '../../src/list/definition.ts';
import {
  COMPANY,
  type FilterCase,
  idsOf,
  LISTS,
  type ListCase,
  OTHER_COMPANY,
  type Params,
  urlOf,
  walk,
} from '../harness/lists.ts';
import { resourceNamed, type SeedRow, seedRecords } from '../harness/records.ts';
import { createTestService, type TestService } from '../harness/service.ts';

const RUNS_PER_LIST = 30;
const ROWS_MAX = 40;

let service: TestService;
beforeAll(async () => {
  service = await createTestService();
});

/** Few different values, so that most rows have the sort key of others. */
const time = fc
  .tuple(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 0, max: 2 }))
  .map(([second, micro]) => `2026-03-01T09:30:0${second}.00000${micro}Z`);
const score = fc.integer({ min: 0, max: 3 });
const id = fc.string({
  unit: fc.constantFrom(...'ABYZabyz019_-'),
  minLength: 1,
  maxLength: 6,
});

interface Run {
  readonly rows: readonly SeedRow[];
  readonly sort: Sort;
  readonly filters: Readonly<Record<string, string>>;
  readonly limit: number;
}

/** The value that a row has under a filter, as the filter's parameter spells it. */
const shown = (list: ListCase, row: SeedRow, filter: string): unknown =>
  list.name === 'api-keys' && filter === 'status'
    ? row['revokedAt'] === null
      ? 'active'
      : 'revoked'
    : row[filter];

const value = ({ good, other }: FilterCase) => fc.constantFrom(good, other);

function rowOf(list: ListCase): fc.Arbitrary<SeedRow> {
  const filters = Object.fromEntries(list.filters.map((filter) => [filter.name, value(filter)]));
  const common = fc.record({ id, createdAt: time, ...filters });
  const more: fc.Arbitrary<object> =
    list.name === 'api-keys'
      ? fc.record({ companyId: fc.constant(null), revokedAt: fc.option(time) })
      : fc.record({ completedAt: time, publishedAt: time, headlineScore: score });
  return fc.tuple(common, more).map(([a, b]) => ({ ...a, ...b }));
}

const runOf = (list: ListCase): fc.Arbitrary<Run> =>
  fc.record({
    rows: fc.uniqueArray(rowOf(list), { selector: (row) => row.id, maxLength: ROWS_MAX }),
    sort: fc.constantFrom(...sortsOf(list.resource.list).filter(({ name }) => list.sorts.includes(name))),
    filters: fc
      .tuple(...list.filters.map((filter) => fc.option(value(filter))))
      .map((values) =>
        Object.fromEntries(
          list.filters.flatMap(({ name }, i) => (values[i] == null ? [] : [[name, values[i]]])),
        ),
      ),
    limit: fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 7 }) },
      fc.integer({ min: 1, max: 100 }),
    ),
  });

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** One query for the whole list, in JavaScript: filtered, and ordered by the sort key, then by the bytes of the id. */
function model(list: ListCase, { rows, sort, filters }: Run): readonly string[] {
  const field = { created_at: 'createdAt', completed_at: 'completedAt', published_at: 'publishedAt' };
  const name =
    Object.entries(field).find(([column]) => column === sort.column.column)?.[1] ?? 'headlineScore';
  const ascending = rows
    .filter((row) => Object.entries(filters).every(([filter, wanted]) => shown(list, row, filter) === wanted))
    .toSorted((a, b) => byBytes(String(a[name]), String(b[name])) || byBytes(a.id, b.id))
    .map((row) => row.id);
  return sort.order === 'ascending' ? ascending : ascending.toReversed();
}

/** Excludes the key of the requests from the list of keys, and its creation from the log. */
async function tokenFor(workspaceId: string, list: ListCase): Promise<string> {
  const { keyId, token } = await service.issue(workspaceId, { mode: 'test' });
  if (list.name === 'audit-log') {
    await service.pool.query('delete from audit_log where workspace_id = $1', [workspaceId]);
  }
  if (list.name === 'api-keys') {
    await service.pool.query(
      `update api_keys set created_at = '2020-01-01', last_used_at = '2100-01-01' where workspace_id = $1 and id = $2`,
      [workspaceId, keyId],
    );
  }
  return token;
}

describe.each(LISTS)('the pages of $path, for any rows, sort, filters and limit', (list) => {
  test('joined, equal one query for the whole list; and the pages backwards are its reverse', async () => {
    await fc.assert(
      fc.asyncProperty(runOf(list), async (run) => {
        const workspaceId = await service.workspace();
        const token = await tokenFor(workspaceId, list);
        if (list.name !== 'companies') {
          const companies = [COMPANY, OTHER_COMPANY].map((company) => ({
            id: company,
            createdAt: '2026-01-01T00:00:00Z',
          }));
          await seedRecords(service.pool, workspaceId, resourceNamed('companies'), companies);
        }
        await seedRecords(service.pool, workspaceId, list.resource, run.rows);
        const get = (params: Params) => service.request(token, urlOf(list.path, params));
        const sort = list.resource.list.sortable ? { sort: run.sort.name } : {};
        const params = { ...run.filters, ...sort, limit: run.limit };
        const all = model(list, run);
        const own = (ids: readonly string[]) => ids.filter((each) => run.rows.some((row) => row.id === each));

        const forward = await walk(get, params);
        expect(own(forward.flatMap(idsOf))).toEqual(all);
        const back = await walk(get, { ...params, direction: 'before' });
        expect(own(back.toReversed().flatMap(idsOf))).toEqual(all);

        // From the end, back over every gap whose cursor the pages forward returned.
        for (const [index, page] of forward.slice(0, -1).entries()) {
          const cursor = page.pagination.nextCursor ?? '';
          const previous = (await get({ ...params, cursor, direction: 'before' })).json<typeof page>();
          expect(previous.data).toEqual(page.data);
          const start = page.pagination.startCursor ?? '';
          const again = (await get({ ...params, cursor: start })).json<typeof page>();
          expect(again.data).toEqual(page.data);
          expect(previous.pagination.hasMore).toBe(index > 0);
        }
      }),
      { numRuns: RUNS_PER_LIST },
    );
  });
});

test("PostgreSQL's order of ids is the order of their bytes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(id, { maxLength: 50 }), async (ids) => {
      const { rows } = await service.pool.query<{ id: string }>(
        `select t.id from unnest($1::text[]) as t (id) order by t.id collate "C"`,
        [ids],
      );
      expect(rows.map((row) => row.id)).toEqual(ids.toSorted(byBytes));
    }),
    { numRuns: 20 },
  );
  const { rows } = await service.pool.query<{ table: string; column: string }>(
    `select c.relname as table, a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid
     join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
     where c.relname in ('audits', 'mentions', 'content', 'companies', 'api_keys', 'audit_log')
       and a.attname in ('id', 'workspace_id', 'company_id') and a.attcollation <> '"C"'::regcollation`,
  );
  expect(rows).toEqual([]);
});
