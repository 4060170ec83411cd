import { describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { distribute } from './distribute.ts';
import { TABLE_PLACEMENTS, workspaceColumn } from './placements.ts';

/** What a cluster of Citus requires of the schema, without a cluster. */

const { pool } = await createTestDatabase();
const divided = Object.keys(TABLE_PLACEMENTS).filter((table) => TABLE_PLACEMENTS[table] === 'workspace');

test('each table has a placement in a cluster', async () => {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`,
  );
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(TABLE_PLACEMENTS).sort());
});

describe.each(divided)('the table %s, which is divided by workspace', (table) => {
  test('has the workspace in each unique index', async () => {
    const { rows } = await pool.query<{ name: string; columns: readonly string[] }>(
      `select indexrelid::regclass::text as name, array(select attname::text from pg_attribute
          where attrelid = indrelid and attnum = any(indkey::int2[])) as columns
       from pg_index where indrelid = $1::regclass and indisunique`,
      [table],
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { columns } of rows) expect(columns).toContain(workspaceColumn(table));
  });

  test('refers by workspace to other tables that are divided, or to tables that each node has', async () => {
    const { rows } = await pool.query<{ target: string; pairs: readonly string[] }>(
      `select confrelid::regclass::text as target, array(select a.attname || ' ' || b.attname
          from unnest(conkey, confkey) as k (own, other)
          join pg_attribute a on a.attrelid = conrelid and a.attnum = k.own
          join pg_attribute b on b.attrelid = confrelid and b.attnum = k.other) as pairs
       from pg_constraint where conrelid = $1::regclass and contype = 'f' and conparentid = 0`,
      [table],
    );
    for (const { target, pairs } of rows) {
      if (TABLE_PLACEMENTS[target] === 'reference') continue;
      expect(TABLE_PLACEMENTS[target]).toBe('workspace');
      expect(pairs).toContain(`${workspaceColumn(table)} ${workspaceColumn(target)}`);
    }
  });
});

test('tables that each node has do not refer to tables that are divided', async () => {
  const { rows } = await pool.query<{ target: string }>(
    `select confrelid::regclass::text as target from pg_constraint
     where contype = 'f' and conrelid = any($1::regclass[])`,
    [Object.keys(TABLE_PLACEMENTS).filter((table) => TABLE_PLACEMENTS[table] === 'reference')],
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const { target } of rows) expect(TABLE_PLACEMENTS[target]).toBe('reference');
});

// Skipped in a cluster.
test.skipIf(inject('databaseServer')?.nodes !== undefined)(
  'a plain PostgreSQL refuses to be distributed, and stays as it is',
  async () => {
    await expect(distribute(pool)).rejects.toThrow('plain PostgreSQL without the extension citus');
    expect((await pool.query(`select 1 from pg_constraint where contype = 'f'`)).rowCount).toBeGreaterThan(
      10,
    );
  },
);
