import { expect, test } from 'vitest';
import { ApiFailure, type FailureCode } from '../../../api/failure.ts';
import { CHUNK_RECORDS, inChunks, refusalsIn } from './in-chunks.ts';

const failure = (code: FailureCode, message: string): ApiFailure =>
  new ApiFailure({ code, message, status: 409, requestId: null, retryAfterSeconds: null });
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
const running = new AbortController().signal;

/** A service that refuses all of a chunk, and names its first bad number. */
const refusing = (isBad: (item: number) => boolean, written: number[]) => (chunk: readonly number[]) => {
  const index = chunk.findIndex(isBad);
  if (index !== -1)
    return Promise.reject(failure('conflict', `/data/${index}: It has records. Delete them first.`));
  written.push(...chunk);
  return Promise.resolve();
};

test('sends chunks of a bounded size, in order, and reports progress', async () => {
  const sizes: number[] = [];
  const progress: number[] = [];
  const outcome = await inChunks(numbers(2 * CHUNK_RECORDS + 1), {
    send: (chunk) => Promise.resolve(void sizes.push(chunk.length)),
    isDone: () => false,
    onProgress: (count) => progress.push(count),
    signal: running,
  });
  expect(sizes).toEqual([CHUNK_RECORDS, CHUNK_RECORDS, 1]);
  expect(progress).toEqual([CHUNK_RECORDS, 2 * CHUNK_RECORDS, 2 * CHUNK_RECORDS + 1]);
  expect(outcome).toEqual({ done: numbers(2 * CHUNK_RECORDS + 1), refused: [], rest: [], error: null });
});

test('writes all others if the service refuses some, each with its own reason', async () => {
  const written: number[] = [];
  const isBad = (item: number) => item % 7 === 3;
  const outcome = await inChunks(numbers(250), {
    send: refusing(isBad, written),
    isDone: () => false,
    onProgress: () => undefined,
    signal: running,
  });
  expect(written).toEqual(numbers(250).filter((item) => !isBad(item)));
  expect(outcome.done.toSorted((a, b) => a - b)).toEqual(written);
  expect(outcome.refused.map(({ item }) => item)).toEqual(numbers(250).filter(isBad));
  expect(new Set(outcome.refused.map(({ reason }) => reason))).toEqual(
    new Set(['It has records. Delete them first.']),
  );
  expect(outcome.rest).toEqual([]);
});

test('counts what is already as it should be as done', async () => {
  const outcome = await inChunks([1, 2, 3], {
    send: (chunk) =>
      chunk.includes(2) ? Promise.reject(failure('not_found', '/data/1: There is no 2.')) : Promise.resolve(),
    isDone: ({ code }) => code === 'not_found',
    onProgress: () => undefined,
    signal: running,
  });
  expect(outcome.done.toSorted()).toEqual([1, 2, 3]);
  expect(outcome.refused).toEqual([]);
});

test('ends with an error that is about no record, and keeps the rest', async () => {
  const away = failure('unavailable', 'The service is temporarily unavailable.');
  let calls = 0;
  const outcome = await inChunks(numbers(250), {
    send: () => (++calls === 2 ? Promise.reject(away) : Promise.resolve()),
    isDone: () => false,
    onProgress: () => undefined,
    signal: running,
  });
  expect(outcome.error).toBe(away);
  expect(outcome.done).toEqual(numbers(CHUNK_RECORDS));
  expect(outcome.rest).toEqual(numbers(250).slice(CHUNK_RECORDS));
});

test('stops before the next chunk, also between two tries of one', async () => {
  const stop = new AbortController();
  const outcome = await inChunks(numbers(250), {
    send: () => {
      stop.abort();
      return Promise.resolve();
    },
    isDone: () => false,
    onProgress: () => undefined,
    signal: stop.signal,
  });
  expect([outcome.done.length, outcome.rest.length, outcome.error]).toEqual([100, 150, null]);
});

test('reads every record that a message names, and no other numbers', () => {
  const found = (message: string) => [...refusalsIn(failure('invalid_body', message))];
  expect(found('/data/3: There is no mention men_3.')).toEqual([[3, 'There is no mention men_3.']]);
  expect(found('/data/0/status must be draft. /data/12/status must be draft. And more.')).toEqual([
    [0, 'status must be draft.'],
    [12, 'status must be draft.'],
  ]);
  expect(found('/data must be an array of 1 to 1000 records.')).toEqual([]);
  expect(found('Your role is viewer.')).toEqual([]);
});
