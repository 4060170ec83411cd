import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../service/test/harness/temporary-directory.ts';
import { linksLead } from '../check/docs.ts';
import { isTest, type SourceFile, sourceFile } from '../check/repository.ts';
import { copyPages } from './pages.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = /\bdocs\/[\w/-]+\.md\b/g;

describe('the pages of the package', () => {
  let packed: readonly SourceFile[];

  beforeAll(async () => {
    const folder = join(await temporaryDirectory(), 'package');
    mkdirSync(folder);
    cpSync(join(ROOT, 'svcd/README.md'), join(folder, 'README.md'));
    copyPages(folder);
    packed = globSync('**/*.*', { cwd: folder, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => sourceFile(path.slice(folder.length + 1), readFileSync(path, 'utf8')));
  });

  test('lead to files of the package', () => {
    expect(packed.map(({ path }) => path)).toContain('docs/operations.md');
    expect(linksLead(packed)).toEqual([]);
  });

  test('are all that the programs and the files of the package name', () => {
    const sources = globSync('{svcd,service,packages/*}/src/**/*.ts', { cwd: ROOT })
      .map((path) => sourceFile(path, readFileSync(join(ROOT, path), 'utf8')))
      .filter((file) => !isTest(file))
      .flatMap(({ lines }) => lines.filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line)));
    const others = packed
      .filter(({ path }) => /^(?:README\.md|deploy\/.*)$/.test(path))
      .map(({ text }) => text);
    const named = [...sources, ...others].flatMap((text) => text.match(PAGE) ?? []);
    expect(named).toEqual(expect.arrayContaining(['docs/operations.md', 'docs/pgbouncer.md']));
    const paths = packed.map(({ path }) => path);
    expect([...new Set(named)].filter((path) => !paths.includes(path))).toEqual([]);
  });

  test('contain no settings of the person who packs, and no tests', async () => {
    const [work, to] = [await temporaryDirectory(), await temporaryDirectory()];
    copyPages(work);
    for (const name of ['svc.env', 'alerts.test.yaml', 'more.yaml'])
      writeFileSync(join(work, 'deploy', name), 'SVC_SECRET=secret');
    copyPages(to, work);
    expect(readdirSync(join(to, 'deploy'))).toContain('more.yaml');
    expect(globSync('**/*{.env,.test.*}', { cwd: to })).toEqual([]);
  });
});
