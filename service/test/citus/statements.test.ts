import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { declaredStatements } from '../../src/database/statement.ts';
import { checkDeclared } from './declared.ts';
import { EXEMPT } from './exempt.ts';
import { faultsOf } from './faults.ts';
import { readSchema } from './schema.ts';

/** Holds that PostgreSQL and a Citus cluster, with the tables distributed by workspace, can run the same statements. */

const ROOT = join(import.meta.dirname, '../../..');
/** They start when they are imported. */
const PROGRAMS: readonly string[] = ['service/src/main.ts', 'svcd/src/svcd.ts'];
const SOURCES = globSync(['service/src/**/*.ts', 'svcd/src/**/*.ts'], {
  cwd: ROOT,
  exclude: ['**/*.test.ts', '**/*.fixture.ts'],
}).filter((path) => !PROGRAMS.includes(path));

const schema = readSchema();
for (const file of SOURCES) await import(join(ROOT, file));

test('each table can be distributed: its unique indexes contain the workspace, and its foreign keys stay in it', () => {
  expect(schema.tables.size).toBeGreaterThan(30);
  expect(schema.faults).toEqual([]);
});

test('each declared statement reads and writes the rows of one workspace, in a form that Citus runs', () => {
  const { checked, faults } = checkDeclared(schema);
  expect(checked).toBeGreaterThan(200);
  expect(faults).toEqual([]);
});

test('each exemption is of a statement that needs it', () => {
  const unnecessary: string[] = [];
  for (const [name, rules] of EXEMPT) {
    const texts = [...(declaredStatements.get(name)?.names.keys() ?? [])];
    const found = texts.flatMap((sql) => faultsOf(sql, schema));
    // The statements of a family are declared when they are needed.
    if (
      !declaredStatements.has(name) ||
      (texts.length > 0 && !found.some(({ rule }) => rules.includes(rule)))
    )
      unnecessary.push(name);
  }
  expect(unnecessary).toEqual([]);
});
