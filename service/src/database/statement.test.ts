import { expect, test } from 'vitest';
import {
  declaredStatements,
  preparedStatement,
  preparedStatements,
  statement,
  statements,
} from './statement.ts';

test('a statement has its group, its text and its values; only a prepared one has a name', () => {
  const table = 'things';
  const find = statement('test_find', 'request')`select E'\\n' from ${table} where id = $1`;
  const known = preparedStatement('test_known', 'bulk')`select ${1}`;

  expect(find('a')).toEqual({
    group: 'request',
    text: `select E'\\n' from things where id = $1`,
    values: ['a'],
  });
  expect(known()).toEqual({ name: 'test_known', group: 'bulk', text: 'select 1', values: [] });
});

test('each query has an object of its own', () => {
  const find = statement('test_own', 'request')`select 1`;
  expect(find()).not.toBe(find());
  expect(find().values).not.toBe(find().values);
});

test('a name cannot be declared twice', () => {
  statement('test_twice', 'request')`select 1`;
  expect(() => statement('test_twice', 'request')`select 1`).toThrow(
    'The statement test_twice is declared twice.',
  );
});

test('a family has a statement for each text', () => {
  const create = preparedStatements('test_count', 'background: it reads all rows');
  const count = (table: string) => create(`test_count_${table}`, `select count(*) from ${table}`);
  for (const table of ['a', 'b', 'a']) count(table)();

  expect(count('a')(1)).toEqual({
    name: 'test_count_a',
    group: 'background: it reads all rows',
    text: 'select count(*) from a',
    values: [1],
  });
  expect(declaredStatements.get('test_count')).toEqual({
    group: 'background: it reads all rows',
    names: new Map([
      ['select count(*) from a', 'test_count_a'],
      ['select count(*) from b', 'test_count_b'],
    ]),
  });
  expect(statements('test_copy', 'bulk')('test_copy_a', 'copy a from stdin')()).toEqual({
    group: 'bulk',
    text: 'copy a from stdin',
    values: [],
  });
});

test('a family stores a limited number of statements', () => {
  const create = statements('test_many', 'request');
  for (let i = 0; i < 20_000; i++) create(`test_many_${i}`, `select ${i}`);
  expect(declaredStatements.get('test_many')?.names.size).toBe(10_000);
});
