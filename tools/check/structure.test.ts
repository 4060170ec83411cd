import { expect, test } from 'vitest';
import { type Rule, sourceFile } from './repository.ts';
import { mapMatchesTree, namedFilesExist, smallFolders, smallService } from './structure.ts';
import { shortLines } from './text.ts';

type Files = readonly (readonly [path: string, text: string])[];
const check = (rule: Rule, files: Files): readonly string[] =>
  rule(files.map(([path, text]) => sourceFile(path, text))).map(
    ({ path, line, message }) => `${path}${line === undefined ? '' : `:${line}`}: ${message}`,
  );

const numbered = (count: number, path: (index: number) => string, text = ''): Files =>
  Array.from({ length: count }, (_, index) => [path(index), text]);

const mapOf = (...rows: readonly string[]): Files => [
  [
    'ARCHITECTURE.md',
    ['| Where | What |', '|---|---|', ...rows.map((row) => `| ${row} | what |`)].join('\n'),
  ],
];

test('a folder with too many files next to each other is refused; files of its folders do not count', () => {
  const files = numbered(20, (index) => `a/${index}.ts`);
  expect(check(smallFolders, [...files, ['a/b/c.ts', '']])).toEqual([]);
  expect(check(smallFolders, [...files, ['a/c.ts', '']])).toEqual(['a: 21 files; at most 20']);
});

test('the migrations and the decisions may have any number of files, but not their folders', () => {
  for (const folder of ['service/migrations', 'docs/decisions']) {
    expect(
      check(
        smallFolders,
        numbered(30, (index) => `${folder}/${index}.md`),
      ),
    ).toEqual([]);
    expect(
      check(
        smallFolders,
        numbered(21, (index) => `${folder}/a/${index}.md`),
      ),
    ).toEqual([`${folder}/a: 21 files; at most 20`]);
  }
});

test('a service with too many files is refused; tests and other workspaces do not count', () => {
  const files = numbered(280, (index) => `service/src/${index}.ts`);
  const others: Files = [
    ['service/src/a.test.ts', ''],
    ['service/test/a.ts', ''],
    ['sdk/src/a.ts', ''],
  ];
  expect(check(smallService, [...files, ...others])).toEqual([]);
  expect(check(smallService, [...files, ['service/src/a.ts', '']])).toEqual([
    'service/src/: 281 files; at most 280, without tests',
  ]);
});

test('a service with too many lines is refused', () => {
  const files = numbered(260, (index) => `service/src/${index}.ts`, 'x\n'.repeat(100));
  expect(check(smallService, files)).toEqual([]);
  expect(check(smallService, [...files, ['service/src/a.sql', 'x\n']])).toEqual([
    'service/src/: 26001 lines; at most 26000, without tests',
  ]);
});

test('the map has a row for each folder, and no row for what is not there', () => {
  const tree: Files = [
    ['sdk/src/a.ts', ''],
    ['service/src/list/a.ts', ''],
    ['service/src/main.ts', ''],
    ['service/migrations/1.sql', ''],
    ['packages/p/package.json', '{}'],
    ['.ci/run', ''],
  ];
  const rows = [
    '`sdk/`',
    '`service/src/list/`, `service/src/main.ts`',
    '`service/migrations/`',
    '`packages/p/`',
  ];
  expect(check(mapMatchesTree, [...tree, ...mapOf(...rows)])).toEqual([]);
  expect(check(mapMatchesTree, [...tree, ...mapOf(...rows, '`service/src/gone/`')])).toEqual([
    'ARCHITECTURE.md:7: there is no service/src/gone/',
  ]);
  expect(check(mapMatchesTree, [...tree, ['service/src/new/a.ts', ''], ...mapOf(...rows)])).toEqual([
    'ARCHITECTURE.md: the map has no row for service/src/new/',
  ]);
  expect(check(mapMatchesTree, tree)).toEqual(['ARCHITECTURE.md: is missing']);
});

test('each file that ARCHITECTURE.md names exists, in the service or from the root', () => {
  const tree: Files = [
    ['service/src/list/query.ts', ''],
    ['sdk/src/index.ts', ''],
  ];
  const page = (text: string): Files => [...tree, ['ARCHITECTURE.md', text]];
  expect(check(namedFilesExist, page('`list/query.ts`, `sdk/src/index.ts`, `query`'))).toEqual([]);
  expect(check(namedFilesExist, page('\n1. `list/gone.ts` reads.'))).toEqual([
    'ARCHITECTURE.md:2: there is no file list/gone.ts',
  ]);
});

test('a line of more than 125 characters is refused, in a comment too', () => {
  expect(check(shortLines, [['a.ts', `\n// ${'x'.repeat(123)}`]])).toEqual([
    'a.ts:2: 126 characters; at most 125',
  ]);
  expect(check(shortLines, [['a.sql', 'x'.repeat(126)]])).toEqual(['a.sql:1: 126 characters; at most 125']);
  const text = 'x'.repeat(200);
  const allowed = ['x'.repeat(125), `// https://${text}`, `'${text}'`, '`', text, '`'].join('\n');
  expect(check(shortLines, [['a.ts', allowed]])).toEqual([]);
});
