import { Readable } from 'node:stream';
import type { Fetch, Svc, SvcOptions } from '@svc/sdk';
import { createWorld } from '@svc/service/harness/world.ts';
import { describe, expect, test } from 'vitest';
import { clientOf, countedSignal, fetchOf } from '../client.ts';

const TEST_TIMEOUT_MS = 10_000;
const { service, token } = await createWorld();
const fetchApp = fetchOf(service.app);

type Items = AsyncGenerator<unknown, void, undefined>;

/** An iteration whose next `next` waits for something that never happens. */
interface Waiting {
  readonly items: Items;
  /** Resolves when it waits. */
  readonly waits: Promise<unknown>;
  /** The reason with which the signal of the wait was aborted; undefined while it is not aborted. */
  readonly ended: () => unknown;
  readonly requests: () => number;
}

/** Iterates with a client whose pauses, and whose requests after `answered` ones, last until their signal is aborted. */
function waiting(answered: number, open: (svc: Svc) => Items): Waiting {
  const { promise: waits, resolve } = Promise.withResolvers<unknown>();
  let requests = 0;
  let signal: AbortSignal | undefined;
  const wait = (given: AbortSignal | undefined): Promise<never> => {
    signal = given;
    resolve(undefined);
    return new Promise((_, reject) => {
      given?.addEventListener('abort', () => reject(given.reason));
    });
  };
  const fetch: Fetch = (url, init) => {
    requests += 1;
    return requests > answered ? wait(init.signal) : fetchApp(url, init);
  };
  const timing: SvcOptions['timing'] = { sleep: (_, given) => wait(given) };
  const items = open(clientOf(service.app, token, { fetch, timing }));
  return { items, waits, requests: () => requests, ended: () => signal?.reason };
}

const EVER = Number.POSITIVE_INFINITY;

const WAITS: readonly (readonly [string, () => Waiting])[] = [
  [
    'a tail in the pause between two polls',
    () => waiting(EVER, (svc) => iterate(svc.audits.tail({ after: 'now' }))),
  ],
  ['its pages', () => waiting(EVER, (svc) => svc.audits.tail({ after: 'now' }).pages())],
  ['a tail that waits for a response', () => waiting(1, (svc) => iterate(svc.audits.tail({ after: 'now' })))],
  [
    'a tail that searches for the position of `now`',
    () => waiting(0, (svc) => iterate(svc.audits.tail({ after: 'now' }))),
  ],
  ['a list that waits for a response', () => waiting(0, (svc) => iterate(svc.audits.list()))],
  ['its pages', () => waiting(0, (svc) => svc.audits.list().pages())],
  ['a list in reverse order', () => waiting(0, (svc) => iterate(svc.audits.list().before()))],
];

const iterate = (items: AsyncIterable<unknown>): Items => items[Symbol.asyncIterator]() as Items;
const DONE = { done: true, value: undefined };

describe.each(WAITS)('%s', { timeout: TEST_TIMEOUT_MS }, (_, start) => {
  test('`return` ends it at once: the pending `next` is done, and nothing more is sent', async () => {
    const { items, waits, ended, requests } = start();
    const next = items.next();
    await waits;
    const sent = requests();
    expect(await items.return()).toEqual(DONE);
    expect(await next).toEqual(DONE);
    expect(ended()).toBeInstanceOf(Error);
    expect(await items.return()).toEqual(DONE);
    expect(await items.next()).toEqual(DONE);
    expect(requests()).toBe(sent);
  });

  test('`throw` ends it at once, and rejects with its error', async () => {
    const { items, waits, ended } = start();
    const next = items.next();
    await waits;
    const reason = new Error('enough');
    await expect(items.throw(reason)).rejects.toBe(reason);
    expect(await next).toEqual(DONE);
    expect(ended()).toBeInstanceOf(Error);
  });

  test('several calls of `return` end it at once, with several pending calls of `next`', async () => {
    const { items, waits } = start();
    const pending = [items.next(), items.next()];
    await waits;
    expect(await Promise.all([...pending, items.return(), items.return()])).toEqual([DONE, DONE, DONE, DONE]);
  });

  test('sends nothing if it is ended before it begins', async () => {
    const { items, requests } = start();
    expect(await items.return()).toEqual(DONE);
    expect(await items.next()).toEqual(DONE);
    expect(requests()).toBe(0);
  });

  test.each([undefined, new Error('enough')])(
    'ends when the stream that reads it is destroyed: %s',
    async (reason) => {
      const { items, waits, ended } = start();
      const stream = Readable.from(items);
      stream.on('error', () => undefined).resume();
      await waits;
      const closed = new Promise((resolve) => stream.once('close', resolve));
      stream.destroy(reason);
      await closed;
      expect(ended()).toBeInstanceOf(Error);
    },
  );
});

test('an iteration throws the reason when the signal of its list is aborted', async () => {
  const controller = new AbortController();
  const { items, waits } = waiting(0, (svc) => iterate(svc.audits.list({ signal: controller.signal })));
  const next = items.next();
  await waits;
  const reason = new Error('changed my mind');
  controller.abort(reason);
  await expect(next).rejects.toBe(reason);
  expect(await items.return()).toEqual(DONE);
});

test('an abandoned iteration leaves no listener on the signal of its list', async () => {
  const { signal, listeners } = countedSignal();
  const svc = clientOf(service.app, token);
  for (const items of [
    svc.audits.list({ signal }),
    svc.audits.tail({ signal }),
    svc.audits.list({ signal }).pages(),
  ]) {
    expect((await iterate(items).next()).done).toBe(false);
  }
  expect(listeners()).toBe(0);
});

test('a tail that was ended continues after the last record that it yielded', async () => {
  const svc = clientOf(service.app, token);
  const all = await Array.fromAsync(svc.audits.tail({ follow: false }));
  const tail = svc.audits.tail({ follow: false });
  const items = iterate(tail);
  const first = await items.next();
  await items.return();
  expect([first.value, ...(await Array.fromAsync(tail))]).toEqual(all);
});
