import { expect, test } from 'vitest';
import { promisesHeld } from './promises.ts';
import { sourceFile } from './repository.ts';

const TEST = 'service/test/some.test.ts';
const GUIDE = '# Lists\n\nEvery list has pages.\n\n## A page\n\nA page has at **most**\n`100` records.\n';
const TESTS = `
test('a page is bounded', () => {});
test.each(CASES)(
  'of %s it\\'s bounded',
  () => {},
);
expect(f('an argument', 1)).toBe(1);
`;

/** The findings for one row. The repository has a guide with one section, and a file with two tests. */
function findings(statedIn: string, heldBy: string, more = ''): readonly string[] {
  const table = `| Promise | Stated in | Held by |\n|---|---|---|\n| A page is bounded. | ${statedIn} | ${heldBy} |\n`;
  const files = [
    sourceFile('docs/promises.md', `# Promises\n\n${table}${more}`),
    sourceFile('docs/guides/lists.md', GUIDE),
    sourceFile(TEST, TESTS),
  ];
  return promisesHeld(files).map(({ message }) => message);
}

const PLACE = '[lists](guides/lists.md#a-page): at most 100 records';
const HELD = `\`${TEST}\`: a page is bounded`;

test('a promise whose words and test are there is held', () => {
  expect(findings(PLACE, HELD)).toEqual([]);
  expect(
    findings(`${PLACE}<br>[lists](guides/lists.md): has pages`, `${HELD}<br>\`${TEST}\`: of %s it's bounded`),
  ).toEqual([]);
});

test.each([
  ['[lists](guides/none.md): at most', HELD, 'there is no document docs/guides/none.md'],
  ['[lists](guides/lists.md#b): at most', HELD, 'docs/guides/lists.md has no section #b'],
  [
    '[lists](guides/lists.md#a-page): at most 99',
    HELD,
    'docs/guides/lists.md#a-page does not say "at most 99"',
  ],
  [
    '[lists](guides/lists.md#a-page): has pages',
    HELD,
    'docs/guides/lists.md#a-page does not say "has pages"',
  ],
  ['guides/lists.md', HELD, 'a promise is stated at `[document](path#section): words that are there`'],
  [PLACE, '', 'the row names no test'],
  [PLACE, `\`${TEST}\``, `"\`${TEST}\`" is not \`file\`: title of a test`],
  [PLACE, '`service/test/none.test.ts`: a page', 'there is no test file service/test/none.test.ts'],
  [PLACE, '`docs/guides/lists.md`: Lists', 'there is no test file docs/guides/lists.md'],
  [PLACE, `\`${TEST}\`: a page`, `${TEST} has no test "a page"`],
  [PLACE, `\`${TEST}\`: an argument`, `${TEST} has no test "an argument"`],
])('%s | %s is not', (statedIn, heldBy, message) => {
  expect(findings(statedIn, heldBy)).toContain(message);
});

test('each section of a document for users is in a row, or listed as one that promises nothing', () => {
  const elsewhere = '[lists](guides/lists.md): has pages';
  expect(findings(elsewhere, HELD)).toEqual([
    'docs/guides/lists.md#a-page is in no row: add its promises, or list it as a section that promises nothing',
  ]);
  const excuse = '\n## Sections that promise nothing\n\n- [A page](guides/lists.md#a-page)\n';
  expect(findings(elsewhere, HELD, excuse)).toEqual([]);
});

test('the table must be there', () => {
  expect(promisesHeld([]).map(({ message }) => message)).toEqual(['is missing']);
});
