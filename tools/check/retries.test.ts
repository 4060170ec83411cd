import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../service/test/harness/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '../..');
const SETUP = join(ROOT, 'packages/embedded-postgres/test/support/setup.ts');

const FLAKY = `import { expect, test } from 'vitest';
let attempts = 0;
test('comes late', () => { expect(++attempts).toBe(2); });
`;

test('a retry is printed, with the test and what failed', async () => {
  const directory = await temporaryDirectory();
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  mkdirSync(join(directory, 'test'));
  writeFileSync(join(directory, 'test/flaky.test.js'), FLAKY);
  const config = { test: { setupFiles: [SETUP], retry: 1 } };
  writeFileSync(join(directory, 'vitest.config.js'), `export default ${JSON.stringify(config)};\n`);

  const output = await new Promise<string>((resolve, reject) =>
    execFile(join(ROOT, 'node_modules/.bin/vitest'), ['run'], { cwd: directory }, (error, stdout, stderr) =>
      error === null ? resolve(stdout + stderr) : reject(error),
    ),
  );

  expect(output).toContain('retry 1 of test/flaky.test.js > comes late: expected 1 to be 2');
});
