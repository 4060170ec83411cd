import { ERRORS } from '@svc/sdk/contract';
import { describe, expect, test } from 'vitest';
import { dependenciesPinned } from './dependencies.ts';
import { assumptionsPinned, errorsDocumented, linksLead, npxDownloadsNone, scriptsExist } from './docs.ts';
import {
  importDirections,
  keyStoreImporters,
  noCircles,
  packagesByName,
  partsPlaced,
  sdkImportsNobody,
  sdkTestsImportByName,
} from './imports.ts';
import { type Rule, type SourceFile, sourceFile } from './repository.ts';
import { honestTests, noMachinePaths, noTokens, nothingLeftOpen, shortFiles, typed } from './text.ts';

// This file joins the texts that the rules look for from parts, so that the rules do not find them here.
const join = (...parts: readonly string[]): string => parts.join('');

type Files = readonly (readonly [path: string, text: string])[];
const check = (rule: Rule, files: Files): readonly string[] =>
  rule(files.map(([path, text]): SourceFile => sourceFile(path, text))).map(
    ({ path, line, message }) => `${path}${line === undefined ? '' : `:${line}`}: ${message}`,
  );

const importing = (path: string): string => `// first line\nimport type { X } from '${path}';\n`;
const LIST = 'service/src/list/query.ts';
const TEST = 'service/test/some.test.ts';

const REFUSED: readonly (readonly [string, Rule, Files, string])[] = [
  [
    'an import that points back',
    importDirections,
    [[LIST, importing('../resources/index.ts')]],
    `${LIST}:2: list must not import resources`,
  ],
  [
    'an import at run time that points back',
    importDirections,
    [[LIST, "await import('../app.ts')"]],
    `${LIST}:1: list must not`,
  ],
  ['a part without a layer', partsPlaced, [['service/src/new/a.ts', '']], 'service/src/new: has no place'],
  [
    'a circle within a layer',
    noCircles,
    [
      ['service/src/list/a.ts', importing('../audit-log/a.ts')],
      ['service/src/audit-log/a.ts', importing('../signals/a.ts')],
      ['service/src/signals/a.ts', importing('../list/a.ts')],
    ],
    'service/src/list/a.ts:2: list imports audit-log, which leads back to list',
  ],
  [
    'the key store outside the dashboard',
    keyStoreImporters,
    [['service/src/api/a.ts', importing('../keys/store.ts')]],
    'service/src/api/a.ts:2: only',
  ],
  [
    'the key store as an export of the service',
    keyStoreImporters,
    [['service/package.json', '{"exports":{"./keys":"./src/keys/store.ts"}}']],
    'service/package.json: must not export',
  ],
  [
    'an SDK that imports the service',
    sdkImportsNobody,
    [['sdk/src/a.ts', importing('../../service/src/config/ids.ts')]],
    'sdk/src/a.ts:2: sdk must not import',
  ],
  [
    'an SDK that imports a package where it is not bundled',
    sdkImportsNobody,
    [['sdk/src/a.ts', importing('@modelcontextprotocol/server')]],
    'sdk/src/a.ts:2: sdk must not import @modelcontextprotocol/server',
  ],
  [
    'an SDK that imports the service by package name',
    sdkImportsNobody,
    [['sdk/src/a.ts', importing('@svc/service/config/ids')]],
    'sdk/src/a.ts:2: sdk must not import',
  ],
  [
    'a test of the SDK that imports the harness by path',
    sdkTestsImportByName,
    [['sdk/test/a.test.ts', importing('../../service/test/harness/service.ts')]],
    'sdk/test/a.test.ts:2: import ../../service/test/harness/service.ts by a name that service/package.json exports',
  ],
  [
    'a package that imports the service',
    packagesByName,
    [['packages/a/src/b.ts', importing('../../../service/src/ids.ts')]],
    'packages/a/src/b.ts:2: packages/a must not import ../../../service/src/ids.ts',
  ],
  [
    'a package that is imported by a path',
    packagesByName,
    [[LIST, importing('../../../packages/a/src/b.ts')]],
    `${LIST}:2: import packages/a by its name`,
  ],
  [
    'a program that imports the test helpers of a package',
    packagesByName,
    [[LIST, importing('@svc/a/testing')]],
    `${LIST}:2: only tests may import @svc/a/testing`,
  ],
  ['a file of 251 lines', shortFiles, [['a.ts', 'x\n'.repeat(251)]], 'a.ts: 251 lines'],
  ['the type any', typed, [['a.ts', join('let x: an', 'y;')]], 'a.ts:1: has the type any'],
  ['a silenced compiler', typed, [['a.ts', join('// @ts-', 'ignore')]], 'a.ts:1: silences the compiler'],
  ['work left for later', nothingLeftOpen, [['a.md', join('TO', 'DO: more')]], 'a.md:1: do it'],
  ['a test that runs alone', honestTests, [[TEST, join('test', '.only(')]], `${TEST}:1: runs alone`],
  ['a skipped test', honestTests, [[TEST, join('describe', '.skip(')]], `${TEST}:1: is skipped`],
  [
    'a test that waits for a time',
    honestTests,
    [[TEST, join('set', 'Timeout(')]],
    `${TEST}:1: waits for a time`,
  ],
  [
    'a test that waits only a second',
    honestTests,
    [[TEST, join('await vi.wait', 'For(() => {})')]],
    `${TEST}:1: fails after one second`,
  ],
  ['a token', noTokens, [['a.json', join('svc_live_', 'x'.repeat(32))]], 'a.json:1: holds what looks like'],
  ['a path of one machine', noMachinePaths, [['a.md', join('see /wo', 'rk/main')]], 'a.md:1: names a path'],
  ['a link to nowhere', linksLead, [['docs/a.md', 'See [b](b.md).']], 'docs/a.md:1: the link to b.md'],
  ['a package of that name', npxDownloadsNone, [['a.md', join('npx ', 'svc me')]], 'a.md:1: npx --no svc'],
  [
    'a script that is not there',
    scriptsExist,
    [
      ['package.json', '{"scripts":{"check":"x"}}'],
      ['a.md', 'npm run check\n`npm run gone`'],
    ],
    'a.md:2: there is no script for "npm run gone"',
  ],
  [
    'a range of versions',
    dependenciesPinned,
    [['package.json', '{\n"devDependencies": {\n"a": "^1.0.0" } }']],
    'package.json:3: a is not pinned',
  ],
  [
    'an assumption without a test',
    assumptionsPinned,
    [['docs/assumptions.md', '| A | T |\n|---|---|\n| a | |']],
    'docs/assumptions.md:3: the row names no test',
  ],
  [
    'an assumption whose test is gone',
    assumptionsPinned,
    [['docs/assumptions.md', '| A | T |\n|---|---|\n| a | `b` |']],
    'docs/assumptions.md:3: there is no test or test file "b"',
  ],
];

const ACCEPTED: readonly (readonly [string, Rule, Files])[] = [
  [
    'an import that points down',
    importDirections,
    [['service/src/resources/a.ts', importing('../list/query.ts')]],
  ],
  [
    'a test that imports from above',
    importDirections,
    [['service/src/list/a.test.ts', importing('../resources/index.ts')]],
  ],
  ['an import within a layer', noCircles, [['service/src/keys/a.ts', importing('../records/a.ts')]]],
  [
    'the key store in the dashboard',
    keyStoreImporters,
    [['service/src/dashboard/workspace/keys.ts', importing('../../keys/store.ts')]],
  ],
  [
    'a test of the SDK that imports the harness by package name',
    sdkTestsImportByName,
    [['sdk/test/a.test.ts', importing('@svc/service/harness/service.ts')]],
  ],
  ['the contract in a package', packagesByName, [['packages/a/src/b.ts', importing('@svc/sdk/contract')]]],
  ['a package by its name', packagesByName, [[LIST, importing('@svc/a')]]],
  ['test helpers of a package in a test', packagesByName, [[TEST, importing('@svc/a/testing')]]],
  ['an import within a package', packagesByName, [['packages/a/test/b.test.ts', importing('../src/b.ts')]]],
  ['a file of 250 lines', shortFiles, [['a.ts', 'x\n'.repeat(250)]]],
  ['the word in a comment', typed, [['a.ts', join('// of an', 'y: any')]]],
  ['a skipped test with its reason', honestTests, [[TEST, join('// needs a second disk\ntest', '.skip(')]]],
  ['a timer that a test fakes', honestTests, [[TEST, join("toFake: ['set", "Interval']")]]],
  ['a wait outside tests', honestTests, [['service/src/a.ts', join('set', 'Timeout(')]]],
  ['a shortened token', noTokens, [['a.ts', 'svc_live_…9xQ2']]],
  [
    'links that lead somewhere',
    linksLead,
    [
      ['docs/a.md', '[b](../b.ts#x) [c](https://c.example) [d](#d) [docs](../docs) `[x](y)`'],
      ['b.ts', ''],
    ],
  ],
  [
    'a script of a workspace',
    scriptsExist,
    [
      ['dashboard/package.json', '{"scripts":{"dev":"x"}}'],
      ['a.md', 'npm run dev -w dashboard'],
    ],
  ],
  ['links in code blocks', linksLead, [['docs/a.md', '```\n[b](nowhere.md)\n```']]],
  [
    'exact versions',
    dependenciesPinned,
    [['package.json', '{"dependencies":{"a":"1.2.3-beta.4"},"peerDependencies":{"b":">=1"}}']],
  ],
  [
    'an assumption with its test',
    assumptionsPinned,
    [
      ['docs/assumptions.md', '| A | T |\n|---|---|\n| a | `it holds`, `some.test.ts` |'],
      [TEST, "test('it holds', () => {});"],
    ],
  ],
];

describe('refused', () => {
  test.each(REFUSED)('%s', (_, rule, files, finding) => {
    expect(check(rule, files)).toEqual(expect.arrayContaining([expect.stringContaining(finding)]));
  });
});

describe('accepted', () => {
  test.each(ACCEPTED)('%s', (_, rule, files) => {
    expect(check(rule, files)).toEqual([]);
  });
});

test('the documented errors must be exactly those of the code', () => {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`,
  );
  const table = (changed: readonly string[]): Files => [
    ['docs/errors.md', ['| Code | Status | Meaning |', '|---|---|---|', ...changed].join('\n')],
  ];
  expect(check(errorsDocumented, table(rows))).toEqual([]);
  const [first = '', ...others] = rows;
  expect(check(errorsDocumented, table(others))).toEqual(['docs/errors.md: invalid_parameter is missing']);
  expect(check(errorsDocumented, table([...rows, '| `new` | 400 | New. |']))).toHaveLength(1);
  expect(check(errorsDocumented, table([first.replace('400', '422'), ...others]))).toHaveLength(1);
});
