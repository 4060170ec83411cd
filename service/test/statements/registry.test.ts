import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { declaredStatements } from '../../src/database/statement.ts';
import { createTestDatabase, testLanes } from '../harness/database.ts';
import { EXEMPT, refused } from './refuse-undeclared.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SOURCES = globSync(['service/src/**/*.ts', 'svcd/src/**/*.ts'], {
  cwd: ROOT,
  exclude: ['**/*.test.ts', '**/*.fixture.ts'],
});
/** They start when they are imported. */
const PROGRAMS: readonly string[] = ['service/src/main.ts', 'svcd/src/svcd.ts'];

const database = await createTestDatabase();

test('the service does not run a statement that is not declared', async () => {
  const { reads } = testLanes(database);
  const undeclared = reads.of('wks').query('select 1 as undeclared');
  await expect(undeclared).rejects.toThrow('runs a statement that is not declared');
  expect(refused.splice(0)).toEqual([expect.stringContaining('select 1 as undeclared')]);
});

test('a test may run any statement', async () => {
  expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});

test('every source file passes declared statements to query, except the exempt ones', () => {
  const found = SOURCES.filter((file) =>
    /\.query(?:<[^(]*>)?\(\s*(?:['"`]|\{|[A-Z_]+\b)/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(found.filter((file) => !(file in EXEMPT))).toEqual([]);
});

test('every declaration says what bounds its cost; one that may grow says why', async () => {
  for (const file of SOURCES.filter((path) => !PROGRAMS.includes(path))) await import(join(ROOT, file));
  const declarations = [...declaredStatements];
  expect(declarations.length).toBeGreaterThan(100);
  for (const [name, { group }] of declarations) {
    expect({ name, group }).toEqual({
      name: expect.stringMatching(/^[a-z_]+$/),
      group: expect.stringMatching(/^(?:request|bulk|control|background: \w.{10,})$/),
    });
  }
});
