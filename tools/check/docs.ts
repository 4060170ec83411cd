import { posix } from 'node:path';
import { ERRORS } from '@svc/sdk/contract';
import { proseOf, rowsOf } from './markdown.ts';
import { type Finding, findingsByLine, isTest, type Rule, type SourceFile } from './repository.ts';

const ERRORS_DOC = 'docs/errors.md';
const ASSUMPTIONS_DOC = 'docs/assumptions.md';

const LINK = /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|^\[[^\]]+\]:\s*(\S+)/g;

/** Each relative link of a document leads to a file or folder of the repository. */
export const linksLead: Rule = (files) => {
  const paths = new Set(files.flatMap(({ path }) => [path, ...foldersOf(path)]));
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap((file) =>
      proseOf(file).flatMap(({ line, text }) =>
        [...text.replace(/`[^`]*`/g, '').matchAll(LINK)]
          .map((match) => match[1] ?? match[2] ?? '')
          .filter((target) => !/^(?:[a-z][a-z+.-]*:|#|\/)/i.test(target) && !leads(file.path, target, paths))
          .map((target) => ({ path: file.path, line, message: `the link to ${target} leads nowhere` })),
      ),
    );
};

const foldersOf = (path: string): readonly string[] =>
  path.split('/').map((_, index, parts) => parts.slice(0, index).join('/'));

function leads(from: string, target: string, paths: ReadonlySet<string>): boolean {
  const [file = ''] = decodeURI(target).split(/[?#]/, 1);
  return paths.has(posix.join(posix.dirname(from), file).replace(/\/$/, ''));
}

/** Each `npm run NAME` in a document names a script of package.json: of the root, or of the workspace after `-w`. */
export const scriptsExist: Rule = (files) => {
  const scriptsOf = (workspace: string): Readonly<Record<string, string>> => {
    const manifest = named(files, posix.join(workspace, 'package.json'));
    const { scripts = {} } = JSON.parse(manifest?.text ?? '{}') as {
      scripts?: Readonly<Record<string, string>>;
    };
    return scripts;
  };
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, lines }) =>
      lines.flatMap((text, index) =>
        [...text.matchAll(/\bnpm run (?:--silent )?([a-z]+)\b(?: -w ([\w/-]+))?/g)]
          .filter(([, script = '', workspace = '']) => scriptsOf(workspace)[script] === undefined)
          .map(([command]) => ({ path, line: index + 1, message: `there is no script for "${command}"` })),
      ),
    );
};

/**
 * No document starts a program of this project with an npx that may download one: where it is not installed, that would run
 * a package of the registry that has its name.
 */
export const npxDownloadsNone: Rule = (files) =>
  files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap((file) =>
      findingsByLine(file, (line) => {
        const [, options = '', program = ''] = /\bnpx ((?:-\S+ )*)(svcd?)\b/.exec(line) ?? [];
        if (program === '' || /--no |--package[= ]/.test(options)) return undefined;
        return `npx --no ${program}: without --no, npx may run a package of that name from the registry`;
      }),
    );

const named = (files: readonly SourceFile[], path: string): SourceFile | undefined =>
  files.find((file) => file.path === path);

/** docs/errors.md has a row `| code | status | meaning |` for each error, with the texts of the contract. */
export const errorsDocumented: Rule = (files) => {
  const file = named(files, ERRORS_DOC);
  if (file === undefined) return [{ path: ERRORS_DOC, message: 'is missing' }];
  const rows = rowsOf(file).map(({ line, cells: [code = '', status = '', meaning = ''] }) => ({
    line,
    code: code.replaceAll('`', ''),
    text: `${status} ${meaning}`,
  }));
  const missing = Object.keys(ERRORS)
    .filter((code) => !rows.some((row) => row.code === code))
    .map((code): Finding => ({ path: ERRORS_DOC, message: `${code} is missing` }));
  const wrong = rows.flatMap(({ line, code, text }): readonly Finding[] => {
    const known = Object.entries(ERRORS).find(([name]) => name === code)?.[1];
    if (known === undefined) return [{ path: ERRORS_DOC, line, message: `there is no error ${code}` }];
    const expected = `${known.status} ${known.meaning}`;
    return text === expected ? [] : [{ path: ERRORS_DOC, line, message: `${code} must be: ${expected}` }];
  });
  return [...missing, ...wrong];
};

/** The last cell of each row of docs/assumptions.md names, in backticks, the test file or the test title that checks it. */
export const assumptionsPinned: Rule = (files) => {
  const file = named(files, ASSUMPTIONS_DOC);
  if (file === undefined) return [{ path: ASSUMPTIONS_DOC, message: 'is missing' }];
  const tests = files.filter(isTest);
  const exists = (name: string): boolean =>
    tests.some(({ path, text }) => path === name || path.endsWith(`/${name}`) || text.includes(name));
  return rowsOf(file).flatMap(({ line, cells }) => {
    const names = [...(cells.at(-1) ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
    const message =
      names.length === 0
        ? 'the row names no test in its last cell'
        : names
            .filter((name) => !exists(name))
            .map((name) => `there is no test or test file "${name}"`)
            .join('; ');
    return message === '' ? [] : [{ path: ASSUMPTIONS_DOC, line, message }];
  });
};
