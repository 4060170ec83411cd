import { afterAll, beforeEach } from 'vitest';
import { runCleanups } from './cleanup.ts';

// Registered before the hooks of the test file, so it runs after them.
afterAll(runCleanups);

// A test that passes only on its second attempt has a fault. Each retry is printed, so that it is found.
beforeEach(({ task: { fullTestName, file, result } }) => {
  const retries = result?.retryCount ?? 0;
  if (retries === 0) return;
  const [first] = result?.errors?.at(-1)?.message.split('\n') ?? [];
  process.stderr.write(`retry ${retries} of ${file.name} > ${fullTestName}: ${first}\n`);
});
