import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type Channel, connectPeer } from '../src/index.ts';

/** Both ends of a channel in this process. It transfers JSON, like a real channel. */
function channels(): { readonly a: Channel & EventEmitter; readonly b: Channel & EventEmitter } {
  const [a, b] = [new EventEmitter(), new EventEmitter()];
  const send =
    (to: EventEmitter) =>
    (message: unknown, sent: (error: Error | null) => void): void => {
      const text = JSON.stringify(message);
      process.nextTick(() => {
        to.emit('message', JSON.parse(text));
        sent(null);
      });
    };
  return { a: Object.assign(a, { send: send(b) }), b: Object.assign(b, { send: send(a) }) };
}

type Offer = {
  readonly double: (n: number) => Promise<number>;
  readonly fail: (why: string) => void;
  readonly hang: (argument: null) => Promise<void>;
};

const offer: Offer = {
  double: async (n) => n * 2,
  fail: (why) => {
    throw Object.assign(new Error(why), { code: 'EFULL' });
  },
  hang: () => new Promise(() => undefined),
};

describe('a call to another process', () => {
  test('gets its response, however many calls are in progress', async () => {
    const { a, b } = channels();
    connectPeer(b, offer);
    const peer = connectPeer<Offer>(a, {});
    const numbers = Array.from({ length: 100 }, (_, i) => i);
    expect(await Promise.all(numbers.map((n) => peer.call('double', n)))).toEqual(numbers.map((n) => n * 2));
  });

  test('fails with the message and the code of the error in the other process', async () => {
    const { a, b } = channels();
    connectPeer(b, offer);
    const peer = connectPeer<Offer>(a, {});
    await expect(peer.call('fail', 'no room')).rejects.toMatchObject({ message: 'no room', code: 'EFULL' });
  });

  test('fails if the other process does not offer it', async () => {
    const { a, b } = channels();
    connectPeer(b, {});
    await expect(connectPeer<Offer>(a, {}).call('double', 1)).rejects.toThrow('there is no call double');
  });

  test('shares a message with the other calls of the same turn of the event loop, at most 64', async () => {
    const { a, b } = channels();
    connectPeer(b, offer);
    const sizes: number[] = [];
    b.on('message', (calls: readonly unknown[]) => sizes.push(calls.length));
    const peer = connectPeer<Offer>(a, {});
    await Promise.all(Array.from({ length: 130 }, (_, i) => peer.call('double', i)));
    expect(sizes).toEqual([64, 64, 2]);
  });

  test('fails if the other process does not answer in time; a later answer changes nothing', async () => {
    const { a, b } = channels();
    const late = Promise.withResolvers<void>();
    connectPeer(b, { ...offer, hang: () => late.promise });
    const peer = connectPeer<Offer>(a, {});
    await expect(peer.call('hang', null, 20)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    late.resolve();
    expect(await peer.call('double', 2, 10_000)).toBe(4);
  });

  test('fails if the other process ends before it responds', async () => {
    const { a, b } = channels();
    connectPeer(b, offer);
    const call = connectPeer<Offer>(a, {}).call('hang', null);
    a.emit('disconnect');
    await expect(call).rejects.toThrow('the other process is gone');
  });
});
