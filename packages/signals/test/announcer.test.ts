import { expect, onTestFinished, test, vi } from 'vitest';
import { createAnnouncer } from '../src/announcer.ts';

const PAUSE_MS = 50;

test('topics that are announced during a call are sent together in the next one, each once', async () => {
  const sent: (readonly string[])[] = [];
  const first = Promise.withResolvers<void>();
  const announcer = createAnnouncer({
    send: (topics) => {
      sent.push(topics);
      return first.promise;
    },
    pauseMs: 0,
    waitingMax: 100,
    onFailure: () => undefined,
  });
  announcer.announce('a');
  await expect.poll(() => sent).toEqual([['a']]);
  for (const topic of ['b', 'c', 'b', 'a']) announcer.announce(topic);
  first.resolve();
  await announcer.drain();
  expect(sent).toEqual([['a'], ['b', 'c', 'a']]);
});

test('the first topic is sent at once, and calls have a pause between them', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const sent: string[] = [];
  const announcer = createAnnouncer({
    send: async (topics) => void sent.push(...topics),
    pauseMs: PAUSE_MS,
    waitingMax: 100,
    onFailure: () => undefined,
  });
  announcer.announce('topic 1');
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toEqual(['topic 1']);
  for (let i = 2; i <= 4; i++) {
    announcer.announce(`topic ${i}`);
    await vi.advanceTimersByTimeAsync(PAUSE_MS - 1);
    expect(sent).toHaveLength(i - 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toHaveLength(i);
  }
});

test('drain does not wait for the pause', async () => {
  const sent: string[] = [];
  const announcer = createAnnouncer({
    send: async (topics) => void sent.push(...topics),
    pauseMs: 3_600_000,
    waitingMax: 100,
    onFailure: () => undefined,
  });
  announcer.announce('a');
  await announcer.drain();
  announcer.announce('b');
  await Promise.resolve();
  await announcer.drain();
  expect(sent).toEqual(['a', 'b']);
});

test('a series of failures is reported once, and later topics are sent', async () => {
  const failures: unknown[] = [];
  let away = true;
  const sent: string[] = [];
  const announcer = createAnnouncer({
    send: async (topics) => {
      if (away) throw new Error('away');
      sent.push(...topics);
    },
    pauseMs: 0,
    waitingMax: 100,
    onFailure: (error) => failures.push(error),
  });
  for (const topic of ['a', 'b', 'c']) {
    announcer.announce(topic);
    await announcer.drain();
  }
  expect(failures).toHaveLength(1);
  away = false;
  announcer.announce('d');
  await announcer.drain();
  expect(sent).toEqual(['d']);
  away = true;
  announcer.announce('e');
  await announcer.drain();
  expect(failures).toHaveLength(2);
});

test('no more topics wait than allowed', async () => {
  const sent: string[] = [];
  const announcer = createAnnouncer({
    send: async (topics) => void sent.push(...topics),
    pauseMs: 0,
    waitingMax: 2,
    onFailure: () => undefined,
  });
  for (const topic of ['a', 'b', 'c']) announcer.announce(topic);
  await announcer.drain();
  expect(sent).toEqual(['a', 'b']);
});
