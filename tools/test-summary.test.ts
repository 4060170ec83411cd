import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../service/test/harness/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '..');

const TESTS = `import { expect, test } from 'vitest';
test('one and one', () => { expect(1 + 1).toBe(2); });
test('two and two', () => { expect(2 + 2).toBe(5); });
`;

async function summaryOf(report: string, steps: readonly string[] = []): Promise<string> {
  const program = join(ROOT, 'tools/test-summary.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, report, ...steps], { cwd: ROOT });
  return stdout;
}

test('names failed steps, failed tests with their errors, and files that cannot be loaded', async () => {
  const directory = await temporaryDirectory();
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  const report = join(directory, 'report.json');
  writeFileSync(join(directory, 'sum.test.js'), TESTS);
  writeFileSync(join(directory, 'broken.test.js'), "throw new Error('the file is broken');\n");
  const vitest = promisify(execFile)(
    join(ROOT, 'node_modules/.bin/vitest'),
    ['run', '--root', directory, '--reporter=json', `--outputFile=${report}`],
    { cwd: directory },
  );
  await expect(vitest).rejects.toThrow();

  const summary = await summaryOf(report, ['npm run lint']);

  expect(summary).toContain('failed step: npm run lint');
  expect(summary).toMatch(/failed test: .*sum\.test\.js > two and two\n {2}.*expected 4 to be 5/);
  expect(summary).toMatch(/failed test: .*broken\.test\.js\n {2}.*the file is broken/);
  expect(summary).not.toContain('one and one');
  expect(summary).toMatch(/\n1 passed, 2 failed\n$/);
});

test('counts a run without a report as failed', async () => {
  const report = join(await temporaryDirectory(), 'report.json');
  writeFileSync(report, '');

  expect(await summaryOf(report)).toBe('\nfailed test: no test ran\n\n0 passed, 1 failed\n');
});
