import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogTo } from '../../src/log/log.ts';

let lines: string[] = [];
const newLog = (level: 'info' | 'debug') => createLogTo({ write: (line) => void lines.push(line) }, level);
/** What was logged since the last call: text, number of repeats and whether the line has a stack. */
const logged = (): readonly unknown[] =>
  lines.splice(0).map((line) => {
    const { msg, repeats, err } = JSON.parse(line);
    return [msg, repeats, err?.stack !== undefined];
  });

beforeEach(() => {
  lines = [];
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

const AWAY = () => new Error('connect ECONNREFUSED');

test('an outage is logged once with its stack, and then once a minute with the number of warnings', () => {
  const log = newLog('info');
  for (let i = 0; i < 1_000; i += 1) log.child({ reqId: i }).warn({ err: AWAY() }, 'service unavailable');
  expect(logged()).toEqual([['service unavailable', undefined, true]]);
  vi.advanceTimersByTime(60_000);
  expect(logged()).toEqual([['service unavailable (repeated within a minute)', 999, false]]);
  log.warn({ err: AWAY() }, 'service unavailable');
  expect(logged()).toEqual([]);
  vi.advanceTimersByTime(60_000);
  expect(logged()).toEqual([['service unavailable (repeated within a minute)', 1, false]]);
  vi.advanceTimersByTime(120_000);
  expect(logged()).toEqual([]);
  log.warn({ err: AWAY() }, 'service unavailable');
  expect(logged()).toEqual([['service unavailable', undefined, true]]);
});

test('other errors and texts, errors of this program and warnings without an error are all logged', () => {
  const log = newLog('info');
  log.warn({ err: AWAY() }, 'one');
  log.warn({ err: new Error('disk full') }, 'one');
  log.warn({ err: AWAY() }, 'two');
  for (let i = 0; i < 3; i += 1) {
    log.error({ err: AWAY() }, 'failed');
    log.warn('careful');
  }
  expect(logged()).toHaveLength(9);
});

test('errors with ever new texts are counted by the text of the warning', () => {
  const log = newLog('info');
  for (let i = 0; i < 1_000; i += 1) log.warn({ err: new Error(`request ${i}`) }, 'unavailable');
  expect(logged()).toHaveLength(101);
  vi.advanceTimersByTime(60_000);
  expect(logged()).toEqual([['unavailable (repeated within a minute)', 899, false]]);
});

test('at level debug, every warning is logged', () => {
  const log = newLog('debug');
  for (let i = 0; i < 3; i += 1) log.warn({ err: AWAY() }, 'service unavailable');
  expect(logged()).toHaveLength(3);
});
