import { TOTAL_MAX_ITEMS } from '@svc/sdk/contract';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sort, sortsOf } from '../../src/list/definition.ts';
import { type KeysetRead, keysetStatement } from '../../src/list/keyset.ts';
import { COMPANY, LISTS, type ListCase, OTHER_COMPANY } from '../harness/lists.ts';
import { resourceNamed, seedRecords, tableOf } from '../harness/records.ts';
import { createTestService, type TestService } from '../harness/service.ts';
import { seedRow } from '../harness/world.ts';

/**
 * Explains every page statement. Each reads the rows of its page and hardly any other, at any position of the
 * list, also with the generic plan that PostgreSQL may choose for a prepared statement.
 */

const ROWS = 20_000;
/** Rows that differ in the columns of filters. Each exists ROWS / PATTERNS times. */
const PATTERNS = 200;
const LIMIT = 50;

/** Statements over columns without an index. Their lists are small, because people create the keys. */
const SMALL_LISTS = ['api-keys'];

let service: TestService;
let workspaceId: string;
let client: pg.Client;

beforeAll(async () => {
  service = await createTestService();
  workspaceId = await service.workspace();
  // Companies first: the others refer to them.
  const ordered = LISTS.toSorted((a, b) => Number(b.name === 'companies') - Number(a.name === 'companies'));
  for (const id of [workspaceId, await service.workspace()]) {
    const companies = [COMPANY, OTHER_COMPANY].map((company, i) => ({ id: company, createdAt: time(i) }));
    await seedRecords(service.pool, id, resourceNamed('companies'), companies);
    for (const list of ordered) {
      const rows = Array.from({ length: PATTERNS }, (_, index) => pattern(list, index));
      await seedRecords(service.pool, id, list.resource, rows);
    }
  }
  for (const list of ordered) await multiply(list);
  // The log reads the counts of its imports.
  await service.pool.query(
    `insert into imports (workspace_id, id, records) select $1, 'imp_' || i, 1 from generate_series(1, $2::int) i`,
    [workspaceId, ROWS],
  );
  await service.pool.query('vacuum analyze');
  client = new pg.Client({ connectionString: service.database.url });
  await client.connect();
  await client.query('set plan_cache_mode = force_generic_plan');
});
afterAll(() => client.end());

/** Whole seconds. The multiplication of the rows adds fractions. */
const time = (index: number) => new Date(Date.UTC(2026, 2, 1) + index * 1000).toISOString();

function pattern(list: ListCase, index: number) {
  const createdAt = time(index);
  return { ...seedRow(list, index), createdAt, completedAt: createdAt, publishedAt: createdAt };
}

/** Multiplies the rows of the workspace, and stores them in an order that no list has. */
async function multiply({ resource }: ListCase): Promise<void> {
  const table = tableOf(resource);
  const { rows } = await service.pool.query<{ column: string; type: string }>(
    `select attname as column, format_type(atttypid, null) as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [table],
  );
  const values = rows.map(({ column, type }) => {
    if (column === 'id') return "id || '_' || copy";
    return type.startsWith('timestamp') ? `${column} + copy * interval '1 millisecond'` : column;
  });
  await service.pool.query(
    `insert into ${table} (${rows.map(({ column }) => column).join(', ')})
     select ${values.join(', ')} from ${table}, generate_series(1, $2::int) as copy
     where workspace_id = $1 and id like '%seed%' order by hashtext(id || copy)`,
    [workspaceId, ROWS / PATTERNS - 1],
  );
}

interface Shape {
  readonly what: string;
  readonly list: ListCase;
  readonly sort: Sort;
  readonly equal: Readonly<Record<string, string>>;
}

/** Every combination of filters, with and without a key that is limited to a company, in every sort. */
const SHAPES: readonly Shape[] = LISTS.flatMap((list) => {
  const { companyColumn } = list.resource.list;
  let equals: readonly Readonly<Record<string, string>>[] = [{}];
  for (const { column, good } of list.filters)
    equals = equals.flatMap((equal) => [equal, { ...equal, [column]: good }]);
  if (companyColumn !== null)
    equals = equals.flatMap((equal) => [equal, { [companyColumn]: COMPANY, ...equal }]);
  const unique = [...new Map(equals.map((equal) => [Object.keys(equal).toSorted().join(), equal])).values()];
  const sorts = sortsOf(list.resource.list).filter(({ name }) => list.sorts.includes(name));
  return unique.flatMap((equal) =>
    sorts.map((sort) => ({
      what: [list.path, sort.name, ...Object.keys(equal)].join(' '),
      list,
      sort,
      equal,
    })),
  );
});

interface Node {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Node[];
}

const nodesOf = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const isScan = (node: Node) =>
  node['Node Type'].includes('Scan') && !node['Node Type'].startsWith('Subquery');
const rowsRead = (node: Node): number =>
  node['Actual Loops'] *
  (node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0));

/** Explains the statement as a prepared one, executed by its generic plan. */
async function explain(read: Omit<KeysetRead, 'workspaceId' | 'limit'>): Promise<readonly Node[]> {
  const { name, text, values } = keysetStatement({ ...read, workspaceId, limit: LIMIT });
  await client.query(`prepare ${name} as ${text}`);
  try {
    const parameters = values.map((value) => pg.escapeLiteral(String(value))).join(', ');
    const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Node }] }>(
      `explain (analyze, format json, timing off) execute ${name} (${parameters})`,
    );
    const [row] = rows;
    if (row === undefined) throw new Error('there is no plan');
    return nodesOf(row['QUERY PLAN'][0].Plan);
  } finally {
    await client.query(`deallocate ${name}`);
  }
}

/** The sort key and id of the item in the middle of the list. */
async function middleOf({ list, sort, equal }: Shape) {
  const { relation } = list.resource.list;
  const conditions = Object.keys(equal)
    .map((name, i) => ` and ${name} = $${i + 2}`)
    .join('');
  const { rows } = await service.pool.query<{ key: string; id: string; items: number }>(
    `select ${sort.column.column}::text as key, id, count(*) over ()::int as items from ${relation}
     where workspace_id = $1${conditions} order by ${sort.column.column}, id
     offset (select count(*) / 2 from ${relation} where workspace_id = $1${conditions}) limit 1`,
    [workspaceId, ...Object.values(equal)],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the list is empty');
  return row;
}

describe.each(SHAPES)('the page statement of $what', (shape) => {
  const { list, sort, equal } = shape;

  test('reads an index, its page and hardly any other row, at the start and deep in the list, in both directions', async () => {
    const { key, id } = await middleOf(shape);
    const small = SMALL_LISTS.includes(list.name) && Object.keys(equal).length > 0;
    const total = list.resource.list.total ? TOTAL_MAX_ITEMS + 1 : 0;
    for (const direction of ['forward', 'before'] as const) {
      for (const position of [undefined, { side: 'after', key, id }, { side: 'before', key, id }] as const) {
        const nodes = await explain({ list: list.resource.list, equal, sort, direction, position });
        const types = nodes.map((node) => node['Node Type']);
        const read = nodes.filter(isScan).reduce((rows, node) => rows + rowsRead(node), 0);
        const sorted = nodes.filter((node) => node['Node Type'].includes('Sort') && node['Actual Rows'] > 1);
        const where = `${direction} ${position?.side ?? 'first'}: ${types.join(', ')}`;
        if (!small)
          expect({ where, read }).toEqual({
            where,
            read: expect.toSatisfy((n: number) => n <= LIMIT + 1 + total),
          });
        expect({ where, sorted }).toEqual({ where, sorted: [] });
        expect({ where, scan: types.includes('Seq Scan') }).toEqual({ where, scan: false });
      }
    }
  });
});
