import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('a worker that cannot be started, because no file descriptor is free, emits the reason', async () => {
  const program = join(import.meta.dirname, 'no-descriptors.fixture.ts');
  const limited = ['-c', 'ulimit -n 60; exec "$0" "$1"', process.execPath, program];
  expect((await promisify(execFile)('sh', limited)).stdout).toBe('EMFILE');
});
