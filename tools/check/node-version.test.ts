import { expect, test } from 'vitest';
import { nodeVersionsAgree } from './node-version.ts';
import { sourceFile } from './repository.ts';

const ROOT = sourceFile(
  'package.json',
  '{\n"engines": {\n"node": ">=20"\n},\n"dependencies": {\n"node": "26.10.0"\n},\n"devDependencies": {\n"@types/node": "26.1.0"\n}\n}',
);

const PACKED = sourceFile('svcd/src/node-version.ts', 'export const OLDEST_NODE = 24;');

const findings = (path: string, text: string): readonly string[] =>
  nodeVersionsAgree([ROOT, PACKED, sourceFile(path, text)]).map(({ line, message }) => `${line}: ${message}`);

test.each([
  ['sdk/package.json', '{\n"engines": { "node": ">=22" } }', '2: must be "node": ">=20"'],
  ['sdk/package.json', '{ "@types/node": "24.1.0" }', '1: must be "@types/node": "26.'],
  ['README.md', 'You need Node.js 22 or newer.', '1: names Node.js 22; package.json has 20'],
  [
    'README.md',
    '\nFor Node.js 20 and newer, or Node.js 20 and 26.',
    '2: names Node.js 20 and 26; package.json has 20, 24 and 26',
  ],
])('%s with "%s" does not agree', (path, text, finding) => {
  expect(findings(path, text)).toEqual([finding]);
});

test('the same versions agree, and a feature may need a version of its own', () => {
  expect(findings('README.md', 'Node.js 20 or newer, Node.js 20, 24 and 26; Node.js 22.18 or newer')).toEqual(
    [],
  );
  expect(findings('svcd/README.md', 'The packed service needs Node.js 24 or newer.')).toEqual([]);
  expect(findings('sdk/package.json', '{ "engines": { "node": ">=20" }, "@types/node": "26.6.6" }')).toEqual(
    [],
  );
});
