import { posix } from 'node:path';
import { rowsOf } from './markdown.ts';
import { type Finding, isTest, type Rule, type SourceFile } from './repository.ts';

const PROMISES_DOC = 'docs/promises.md';

/** Documents for users. Each of their sections is in the table, or in the list of sections that promise nothing. */
const PROMISING = /^(?:README\.md|sdk\/README\.md|docs\/operations\.md|docs\/guides\/[\w-]+\.md)$/;

/** A cell's entries are separated by `<br>`. */
const entriesOf = (cell: string): readonly string[] =>
  cell
    .replaceAll('\\|', '|')
    .split('<br>')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** `[docs/a.md](a.md#part): words that are there` */
const STATED = /^\[[^\]]+\]\(([^)#]+)(?:#([^)]+))?\): (.+)$/s;
/** `` `some.test.ts`: title of a test `` */
const HELD = /^`([^`]+)`: (.+)$/s;

/**
 * docs/promises.md has a table for each subject. A row has a promise, the places that state it, and the tests that hold
 * it. Each place exists: the document, its section, and these words in the section. Each test exists: its file and title.
 */
export const promisesHeld: Rule = (files) => {
  const file = files.find(({ path }) => path === PROMISES_DOC);
  if (file === undefined) return [{ path: PROMISES_DOC, message: 'is missing' }];
  const rows = rowsOf(file).filter(({ cells }) => cells.length === 3);
  const stated = rows.flatMap(({ line, cells: [, cell = ''] }) =>
    statedIn(cell).map((place) => ({ ...place, line })),
  );
  return [
    ...rows.flatMap(({ line, cells: [, where = '', tests = ''] }) =>
      [...placesMissing(where, files), ...testsMissing(tests, files)].map((message) => ({
        path: PROMISES_DOC,
        line,
        message,
      })),
    ),
    ...sectionsWithoutRow(file, stated, files),
  ];
};

interface Place {
  readonly path: string;
  readonly anchor: string | undefined;
  readonly words: string;
}

function statedIn(cell: string): readonly Place[] {
  return entriesOf(cell).flatMap((entry) => {
    const [, target = '', anchor, words = ''] = STATED.exec(entry) ?? [];
    return target === '' ? [] : [{ path: posix.join(posix.dirname(PROMISES_DOC), target), anchor, words }];
  });
}

function placesMissing(cell: string, files: readonly SourceFile[]): readonly string[] {
  const places = statedIn(cell);
  if (places.length === 0 || places.length !== entriesOf(cell).length)
    return ['a promise is stated at `[document](path#section): words that are there`'];
  return places.flatMap(({ path, anchor, words }) => {
    const file = files.find((one) => one.path === path);
    if (file === undefined) return [`there is no document ${path}`];
    const section = anchor === undefined ? file.text : sectionsOf(file).get(anchor);
    if (section === undefined) return [`${path} has no section #${anchor}`];
    const isThere = plain(section).includes(plain(words));
    return isThere ? [] : [`${path}${anchor === undefined ? '' : `#${anchor}`} does not say "${words}"`];
  });
}

function testsMissing(cell: string, files: readonly SourceFile[]): readonly string[] {
  const entries = entriesOf(cell);
  if (entries.length === 0) return ['the row names no test'];
  return entries.flatMap((entry) => {
    const [, path = '', title = ''] = HELD.exec(entry) ?? [];
    if (path === '') return [`"${entry}" is not \`file\`: title of a test`];
    const file = files.find((one) => one.path === path && isTest(one));
    if (file === undefined) return [`there is no test file ${path}`];
    return titlesOf(file).includes(title) ? [] : [`${path} has no test "${title}"`];
  });
}

/** The titles in a test file: the first argument of each `test` and `describe`. */
const titlesOf = ({ text }: SourceFile): readonly string[] =>
  [...text.matchAll(/(?:\b(?:test|describe)(?:\.\w+)*|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])+)\1,/gs)].map(
    ([, quote = '', title = '']) => title.replaceAll(`\\${quote}`, quote),
  );

/** The words of a text, without the marks of Markdown and without line breaks. */
const plain = (text: string): string =>
  text
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/[*`"“”]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/** The text of each section, by the anchor of its heading. The text before the first section has the anchor ''. */
function sectionsOf({ lines }: SourceFile): ReadonlyMap<string, string> {
  const sections = new Map<string, string>();
  let [anchor, fenced] = ['', false];
  for (const line of lines) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    const [, heading] = fenced ? [] : (/^##+ (.+)$/.exec(line) ?? []);
    if (heading !== undefined) anchor = anchorOf(heading);
    sections.set(anchor, `${sections.get(anchor) ?? ''}${line}\n`);
  }
  return sections;
}

/** The anchor that GitHub gives to a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

/** The section of docs/promises.md with links to the sections that promise nothing. */
const NOTHING_PROMISED = 'sections-that-promise-nothing';

function sectionsWithoutRow(
  file: SourceFile,
  stated: readonly Place[],
  files: readonly SourceFile[],
): readonly Finding[] {
  const excused = [...(sectionsOf(file).get(NOTHING_PROMISED) ?? '').matchAll(/\]\(([^)#]+)#([^)]+)\)/g)].map(
    ([, target = '', anchor = '']) => `${posix.join(posix.dirname(PROMISES_DOC), target)}#${anchor}`,
  );
  const known = new Set([...excused, ...stated.map(({ path, anchor = '' }) => `${path}#${anchor}`)]);
  return files
    .filter(({ path }) => PROMISING.test(path))
    .flatMap((document) =>
      [...sectionsOf(document).keys()]
        .filter((anchor) => anchor !== '' && !known.has(`${document.path}#${anchor}`))
        .map((anchor) => ({
          path: PROMISES_DOC,
          message: `${document.path}#${anchor} is in no row: add its promises, or list it as a section that promises nothing`,
        })),
    );
}
