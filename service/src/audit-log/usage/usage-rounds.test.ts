import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createTestService, type TestService } from '../../../test/harness/service.ts';
import { USAGE_INTERVAL_MS, USAGE_WAITING_MAX, USAGE_WORKSPACES_MAX } from '../../config/limits.ts';
import { insertEntries, newCounter, sumsOf, testRequest } from './usage-counter.fixture.ts';
import { ofRound } from './usage-counter.ts';

let service: TestService;
beforeAll(async () => {
  service = await createTestService();
});

test('a round counts up to 100 workspaces, or a fifth of them, and those first that have waited the longest', () => {
  const waiting = Array.from({ length: USAGE_WAITING_MAX }, (_, n) => `wks_${n}`);
  expect(ofRound(waiting.slice(0, 100))).toEqual(waiting.slice(0, 100));
  expect(ofRound(waiting.slice(0, 101))).toEqual(waiting.slice(0, 100));
  expect(ofRound(waiting.slice(0, 1_000))).toEqual(waiting.slice(0, 200));
  // Half of the places are free after it.
  expect(ofRound(waiting)).toEqual(waiting.slice(0, USAGE_WAITING_MAX / 2));
});

test('if many workspaces wait, a round counts all test requests, and later ones count the other entries', async () => {
  // Its counter would find the entry too.
  await service.app.close();
  const [tested, last] = [await service.workspace(), await service.workspace()];
  const { keyId } = await service.issue(tested, { mode: 'test' });
  await insertEntries(service, last, 1);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { counter } = newCounter(service);
  for (let n = 0; n < 2 * USAGE_WORKSPACES_MAX; n++) counter.addEntry(`wks_${n}`);
  counter.addEntry(last);
  counter.addTest(testRequest(tested, keyId));
  vi.advanceTimersByTime(USAGE_INTERVAL_MS);
  await expect.poll(() => sumsOf(service, tested)).toMatchObject({ usage: '[1, 1]' });
  expect(await sumsOf(service, last)).toMatchObject({ usage: '[0, 0]', entries: '[1, 0]' });
  await expect
    .poll(() => {
      vi.advanceTimersByTime(USAGE_INTERVAL_MS);
      return sumsOf(service, last);
    })
    .toMatchObject({ usage: '[1, 0]' });
  await counter.stop();
});
