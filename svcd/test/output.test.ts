import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const MODULE = new URL('../src/output.ts', import.meta.url).href;

/** What a program of this code writes to standard output. */
async function outputOf(code: string): Promise<string> {
  const program = `import { print, write } from ${JSON.stringify(MODULE)}; ${code}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  return stdout;
}

const EVIL = 'a\u001b[2J\u009b31m\u202eb';

test('print escapes characters that could change what a terminal shows', async () => {
  expect(await outputOf(`await print(${JSON.stringify(EVIL)});`)).toBe('a\\u001b[2J\\u009b31m\\u202eb\n');
});

test('write does not change data if the output is not a terminal', async () => {
  expect(await outputOf(`await write(${JSON.stringify(EVIL)});`)).toBe(EVIL);
});

test('only svcd/src/output.ts prints, and it escapes characters that could change a terminal', () => {
  const repository = join(import.meta.dirname, '../..');
  const PRINTS = /process\.std(?:out|err)\.write\(|\bconsole\.(?:log|info|warn|error|debug)\((?!record)/;
  const printing = globSync('{service,svcd}/src/**/*.ts', { cwd: repository }).filter(
    (file) =>
      !/\.(?:test|fixture)\.ts$/.test(file) && PRINTS.test(readFileSync(join(repository, file), 'utf8')),
  );
  expect(printing.toSorted()).toEqual(['svcd/src/output.ts']);
});
