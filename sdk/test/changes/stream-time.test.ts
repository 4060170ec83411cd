import { type Fetch, type RetryEvent, Svc, SvcTimeoutError } from '@svc/sdk';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { instantPauses } from '../client.ts';
import { changeText } from './odd-server.ts';

const TOKEN = `svc_test_${'a'.repeat(32)}`;
const AFTER = 'chg_0';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A `fetch` whose responses have these chunks, one list for each, and do not end. */
const responses =
  (...answers: (readonly string[])[]): Fetch =>
  async () => ({
    status: 200,
    headers: { get: () => 'text/event-stream' },
    text: async () => '',
    body: new ReadableStream({
      start(controller) {
        for (const text of answers.shift() ?? []) controller.enqueue(new TextEncoder().encode(text));
      },
    }),
  });

test('a connection that is silent for 45 seconds counts as broken', async () => {
  const retries: RetryEvent[] = [];
  const svc = new Svc({
    apiKey: TOKEN,
    fetch: responses([`id: ${AFTER}\n\n: heartbeat\n\n`], [changeText('chg_1')]),
    timing: instantPauses().timing,
    onRetry: (event) => retries.push(event),
  });
  const pages = svc.changes.stream({ after: AFTER }).pages();
  expect(await pages.next()).toMatchObject({ value: [] });
  const next = pages.next();
  await vi.advanceTimersByTimeAsync(44_999);
  expect(retries).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await next).toMatchObject({ value: [{ id: 'chg_1' }] });
  expect(retries.map(({ error }) => error.message)).toEqual(['No response within 45000 ms.']);
  expect(retries[0]?.error).toBeInstanceOf(SvcTimeoutError);
  await pages.return();
  expect(vi.getTimerCount()).toBe(0);
});

test('a consumer may take longer than that, because only waiting for the service counts', async () => {
  const fetch = responses([changeText('chg_1'), changeText('chg_2')]);
  const stream = new Svc({ apiKey: TOKEN, fetch, retries: 0 }).changes.stream({ after: AFTER });
  const changes = stream[Symbol.asyncIterator]();
  expect((await changes.next()).value).toMatchObject({ id: 'chg_1' });
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect((await changes.next()).value).toMatchObject({ id: 'chg_2' });
  await changes.return();
});
