import { partsOfMigration, splitStatements } from '@svc/migration-files/split';
import { expect, test } from 'vitest';
import { readMigrationFiles } from '../migrate.ts';

test('a semicolon ends a statement, but not in comments, strings, names and functions', () => {
  const statements = [
    `select ';' as "a;b", 'it''s;'; -- one; two\n`,
    `/* ; */ create function f() returns int as $$ begin; return 1; end $$;`,
    `\ndo $body$ select $$;$$; $body$;`,
    ` select 4`,
  ];
  const split = splitStatements(statements.join(''));
  expect(split.map((text) => text.trim())).toEqual([
    `select ';' as "a;b", 'it''s;';`,
    `-- one; two\n/* ; */ create function f() returns int as $$ begin; return 1; end $$;`,
    `do $body$ select $$;$$; $body$;`,
    'select 4',
  ]);
  // A position in the last statement has the line of the file.
  expect(split.at(-1)?.split('\n')).toHaveLength(3);
});

test('the statements of each migration are all of it', async () => {
  for (const { sql } of await readMigrationFiles())
    for (const part of partsOfMigration(sql)) {
      const words = (text: string): string => text.replaceAll(/--.*|\s/g, '');
      expect(words(splitStatements(part).join(''))).toBe(words(part));
    }
});

test('a part of a migration ends with the line -- distribute, and keeps its lines', () => {
  expect(partsOfMigration('a;\nb;\n-- distribute\nc;\n-- distribute\nd;')).toEqual([
    'a;\nb;\n',
    '\n\n\nc;\n',
    '\n\n\n\n\nd;',
  ]);
});
