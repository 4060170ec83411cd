import { expect, test } from 'vitest';
import { declaredStatements, preparedStatement, statement, statements } from './statement.ts';

test('a statement has its text and its values; only a prepared one has a name', () => {
  const table = 'things';
  const find = statement('test_find', 'request')`select E'\\n' from ${table} where id = $1`;
  const known = preparedStatement('test_known', 'bulk')`select ${1}`;

  expect(find('a')).toEqual({ text: `select E'\\n' from things where id = $1`, values: ['a'] });
  expect(known()).toEqual({ name: 'test_known', text: 'select 1', values: [] });
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

test('the statements of a family are created once for each name', () => {
  let created = 0;
  const count = statements('test_count', 'background: it reads all rows');
  const of = (table: string) =>
    count(`test_count_${table}`, () => {
      created += 1;
      return `select count(*) from ${table}`;
    });
  for (const table of ['a', 'b', 'a']) of(table)();

  expect(created).toBe(2);
  expect(of('a')()).toEqual({ name: 'test_count_a', text: 'select count(*) from a', values: [] });
  expect(declaredStatements.get('test_count')).toEqual({
    group: 'background: it reads all rows',
    texts: new Map([
      ['test_count_a', 'select count(*) from a'],
      ['test_count_b', 'select count(*) from b'],
    ]),
  });
});
