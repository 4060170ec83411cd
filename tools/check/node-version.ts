import { RUNTIMES } from '../runtimes/table.ts';
import { proseOf } from './markdown.ts';
import { type Finding, findingsByLine, type Rule, type SourceFile } from './repository.ts';

/** States the oldest version that runs the packed service. */
const PACKED = 'svcd/src/node-version.ts';

/**
 * package.json of the root states the versions of Node.js: the oldest one (`engines`) and the one that runs the service
 * (the dependency `node`). The packed service, which does not bring a Node.js, has an oldest one of its own. All other files
 * that name a version agree with these.
 */
export const nodeVersionsAgree: Rule = (files) => {
  const root = files.find(({ path }) => path === 'package.json');
  if (root === undefined) return [{ path: 'package.json', message: 'is missing' }];
  const { engines, dependencies } = JSON.parse(root.text) as {
    readonly engines: { readonly node: string };
    readonly dependencies: { readonly node: string };
  };
  const types = `"@types/node": "${dependencies.node.split('.')[0]}.`;
  const oldest = engines.node.replace('>=', '');
  const packed = /OLDEST_NODE = (\d+)/.exec(files.find(({ path }) => path === PACKED)?.text ?? '')?.[1];
  const tested = RUNTIMES.filter(({ npm }) => npm.package === 'node').map(({ npm }) => majorOf(npm.release));
  return [
    ...files
      .filter(({ path }) => path.endsWith('package.json'))
      .flatMap((file) => [
        ...lines(file, /"node": ">=/, `"node": "${engines.node}"`),
        ...lines(file, /"@types\/node": /, types),
      ]),
    ...files
      .filter(({ path }) => path.endsWith('.md'))
      .flatMap((file) => [
        ...versions(file, /Node\.js (\d+) (?:or|and) newer/, [oldest, packed]),
        ...versions(file, /Node\.js ((?:\d+, )*\d+ and \d+)/, [listText(tested)]),
      ]),
    ...(tested[0] === oldest
      ? []
      : [{ path: 'tools/runtimes/table.ts', message: `must begin with Node.js ${oldest}` }]),
  ];
};

const majorOf = (release: string): string => release.split('.')[0] ?? '';

/** `20, 24 and 26` */
const listText = (items: readonly string[]): string =>
  new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(items);

const lines = (file: SourceFile, pattern: RegExp, expected: string): readonly Finding[] =>
  findingsByLine(file, (line) =>
    pattern.test(line) && !line.includes(expected) ? `must be ${expected}` : undefined,
  );

const versions = (
  file: SourceFile,
  pattern: RegExp,
  expected: readonly (string | undefined)[],
): readonly Finding[] =>
  proseOf(file).flatMap(({ line, text }) => {
    const found = pattern.exec(text)?.[1];
    return found === undefined || expected.includes(found)
      ? []
      : [{ path: file.path, line, message: `names Node.js ${found}; package.json has ${expected[0]}` }];
  });
