import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTopics, type Topics } from '../src/topics.ts';

const PAUSE_MS = 1_000;

interface World {
  readonly topics: Topics;
  readonly versions: Map<string, string>;
  /** The names of each reading. */
  readonly read: (readonly string[])[];
  readonly failures: unknown[];
  away: boolean;
}

function world(readMax = 100): World {
  const state: World = {
    versions: new Map(),
    read: [],
    failures: [],
    away: false,
    topics: createTopics({
      readVersions: async (names) => {
        state.read.push(names);
        if (state.away) throw new Error('away');
        return new Map(state.versions);
      },
      readMax,
      pauseMs: PAUSE_MS,
      onFailure: (error) => state.failures.push(error),
    }),
  };
  return state;
}

/** Watches a topic and counts the calls of the listener. */
function counted(topics: Topics, topic: string): { calls: number; readonly end: () => void } {
  const counter = { calls: 0, end: topics.watch(topic, () => counter.calls++) };
  return counter;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});
const reading = (): Promise<unknown> => vi.advanceTimersByTimeAsync(PAUSE_MS);

test('a signal wakes those who watch its topic, until they stop', () => {
  const { topics } = world();
  const a = counted(topics, 'a');
  const other = counted(topics, 'a');
  const b = counted(topics, 'b');
  topics.wake(['a', 'unknown']);
  expect([a.calls, other.calls, b.calls]).toEqual([1, 1, 0]);
  a.end();
  topics.wake(['a']);
  expect([a.calls, other.calls, b.calls]).toEqual([1, 2, 0]);
});

test('without a signal, a changed version wakes them at the next reading', async () => {
  const { topics, versions } = world();
  versions.set('a', '1');
  const a = counted(topics, 'a');
  await reading();
  // A change may have come between the call and the first reading.
  expect(a.calls).toBe(1);
  await reading();
  expect(a.calls).toBe(1);
  versions.set('a', '2');
  await reading();
  expect(a.calls).toBe(2);
});

test('a topic that is watched again soon is not woken without a change, and is with one', async () => {
  const { topics, versions } = world();
  versions.set('a', '1');
  counted(topics, 'a').end();
  const first = counted(topics, 'a');
  await reading();
  first.end();
  const second = counted(topics, 'a');
  await reading();
  expect(second.calls).toBe(0);
  second.end();
  versions.set('a', '2');
  const third = counted(topics, 'a');
  await reading();
  expect(third.calls).toBe(1);
});

test('a topic that nobody watches is not read, and is forgotten', async () => {
  const { topics, read } = world();
  const a = counted(topics, 'a');
  await reading();
  a.end();
  await reading();
  await reading();
  expect(read).toEqual([['a']]);
  expect(topics.size).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('many topics are read in parts', async () => {
  const { topics, read } = world(2);
  for (const name of ['a', 'b', 'c', 'd', 'e']) counted(topics, name);
  await reading();
  expect(read).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
});

test('a failure is reported once, and the readings continue', async () => {
  const state = world();
  state.versions.set('a', '1');
  const a = counted(state.topics, 'a');
  await reading();
  state.away = true;
  await reading();
  await reading();
  expect(state.failures).toHaveLength(1);
  state.away = false;
  state.versions.set('a', '2');
  await reading();
  expect(a.calls).toBe(2);
});

test('after the end, nobody is woken and nothing is read', async () => {
  const { topics, read } = world();
  const a = counted(topics, 'a');
  topics.close();
  topics.wake(['a']);
  await reading();
  expect([a.calls, read]).toEqual([0, []]);
});
