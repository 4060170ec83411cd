import { expect, test } from 'vitest';
import { createPauses } from '../src/pauses.ts';

const MINUTE_MS = 60_000;

function pausesAt() {
  let nowMs = 0;
  const pauses = createPauses(1_000, () => nowMs);
  return {
    ...pauses,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('an owner that fails is paused, each time for twice as long, up to a limit', () => {
  const { of, failed, pass } = pausesAt();
  expect(of('a')).toBe('none');
  for (const ms of [1_000, 2_000, 4_000, 5_000, 5_000]) {
    failed('a', 5_000);
    pass(ms - 1);
    expect(of('a')).toBe('paused');
    pass(1);
    expect(of('a')).toBe('over');
  }
  expect(of('b')).toBe('none');
});

test('an owner that succeeds begins again with the first pause', () => {
  const { of, failed, succeeded, pass } = pausesAt();
  failed('a', MINUTE_MS);
  failed('a', MINUTE_MS);
  succeeded('a');
  expect(of('a')).toBe('none');
  failed('a', MINUTE_MS);
  pass(1_000);
  expect(of('a')).toBe('over');
});

test('owners are sorted by the ends of their pauses', () => {
  const { sorted, failed, pass } = pausesAt();
  failed('twice', MINUTE_MS);
  failed('twice', MINUTE_MS);
  failed('once', MINUTE_MS);
  pass(500);
  failed('later', MINUTE_MS);
  expect(sorted(['twice', 'later', 'once'])).toEqual(['once', 'later', 'twice']);
});

test('an owner without work any more is forgotten', () => {
  const { of, failed, pass } = pausesAt();
  failed('gone', MINUTE_MS);
  pass(11 * MINUTE_MS);
  failed('other', MINUTE_MS);
  expect([of('gone'), of('other')]).toEqual(['none', 'paused']);
});
