import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { sortsOf } from '../list/definition.ts';
import { columnName } from './define.ts';
import { RECORD_RESOURCES, RESOURCES } from './index.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});

/** The types of a relation's columns, by the names of the columns. */
async function columnsOf(relation: string): Promise<Readonly<Record<string, string>>> {
  const { rows } = await database.pool.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, null) as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [relation],
  );
  return Object.fromEntries(rows.map(({ name, type }) => [name, type]));
}

const TYPES = { timestamptz: 'timestamp with time zone', smallint: 'smallint' } as const;

test('names, paths, id prefixes and singulars are unique', () => {
  for (const key of ['name', 'path', 'idPrefix', 'singular'] as const) {
    expect(new Set(RESOURCES.map((resource) => resource[key])).size).toBe(RESOURCES.length);
  }
});

test('a field in camel case is a column in snake case', () => {
  expect(['id', 'companyId', 'headlineScore', 'aBC'].map(columnName)).toEqual([
    'id',
    'company_id',
    'headline_score',
    'a_b_c',
  ]);
});

test.each(RECORD_RESOURCES)(
  'the table of $path has a column for every field of its records',
  async ({ list, fields }) => {
    const columns = Object.keys(await columnsOf(list.relation));
    const more = [
      'workspace_id',
      'created_at',
      'doc',
      ...(list.shortKeys ? ['company_key', 'id_order'] : []),
    ];
    expect(columns.toSorted()).toEqual(
      [...new Set([...Object.keys(fields).map(columnName), ...more])].toSorted(),
    );
  },
);

describe.each(RESOURCES.filter(({ list }) => list.read === undefined))(
  'the definition of $path',
  ({ list, name, searched = [] }) => {
    test('fits its relation, which has the columns of every list, of each sort and of each filter', async () => {
      const columns = await columnsOf(list.relation);
      expect(columns).toMatchObject({
        workspace_id: 'text',
        id: 'text',
        doc: 'text',
        created_at: TYPES.timestamptz,
      });
      for (const { column } of sortsOf(list)) expect(columns[column.column]).toBe(TYPES[column.type]);
      const { q: _search, ...filters } = list.filters;
      for (const { column, comparison } of Object.values(filters))
        expect(columns[column]).toBe(TYPES[comparison?.type as keyof typeof TYPES] ?? 'text');
      const [text, address] = searched.map(columnName);
      for (const column of searched.map(columnName)) expect(columns[column]).toBe('text');
      expect([list.searched?.title, list.searched?.url]).toEqual(
        searched.length === 0 ? [undefined, undefined] : [text, expect.stringContaining(`${address}`)],
      );
      if (list.companyColumn !== null) expect(columns[list.companyColumn]).toBe('text');
    });

    test('has created-descending as its default order', () => {
      expect(sortsOf(list)[0]).toMatchObject({
        name: 'created-descending',
        column: { column: 'created_at' },
      });
    });

    test('is frozen, and its name is a path segment', () => {
      expect(Object.isFrozen(RESOURCES.find((resource) => resource.name === name))).toBe(true);
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
    });
  },
);
