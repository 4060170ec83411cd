import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { messageSocket } from '../src/message-socket.ts';

const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => void server.close());

/** The two ends of a connection. */
async function connected(): Promise<{ readonly socket: Socket; readonly peer: Socket }> {
  const accepted = once(server, 'connection');
  const socket = messageSocket();
  socket.connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [peer] = (await accepted) as [Socket];
  peer.setNoDelay(true);
  return { socket, peer };
}

/** The n-th message. It has `size` bytes after its length. */
function message(size: number, n: number): Buffer {
  const bytes = Buffer.alloc(5 + size, n % 251);
  bytes.write('D');
  bytes.writeUInt32BE(4 + size, 1);
  return bytes;
}

/** The sizes of complete messages. Throws if the last one is not complete. */
function sizesOf(bytes: Buffer): readonly number[] {
  const sizes: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readUInt32BE(at + 1) - 4;
    sizes.push(size);
    at += 5 + size;
    if (at > bytes.length) throw new RangeError('A message is not complete.');
  }
  return sizes;
}

const size = fc.oneof(
  fc.nat(40),
  fc.integer({ min: 8_000, max: 8_400 }),
  fc.integer({ min: 65_500, max: 65_600 }),
  fc.integer({ min: 65_536, max: 300_000 }),
  fc.integer({ min: 1_000_000, max: 2_200_000 }),
);

test('emits each message once and whole, in whatever pieces they arrive', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(size, { minLength: 1, maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 150_000 }), { maxLength: 20 }),
      async (sizes, cuts) => {
        const { socket, peer } = await connected();
        const sent = Buffer.concat(sizes.map(message));
        const received: Buffer[] = [];
        const emitted: number[] = [];
        socket.on('data', (bytes: Buffer) => {
          emitted.push(...sizesOf(bytes));
          received.push(Buffer.from(bytes));
        });
        let at = 0;
        for (const cut of cuts) {
          // Each piece leaves before the next one.
          await new Promise((resolve) => peer.write(sent.subarray(at, at + cut), resolve));
          at += cut;
        }
        peer.end(sent.subarray(at));
        await once(socket, 'close');
        expect(emitted).toEqual(sizes);
        expect(Buffer.concat(received).equals(sent)).toBe(true);
      },
    ),
    { numRuns: 50 },
  );
});

test('does not emit a message that ends too early', async () => {
  const { socket, peer } = await connected();
  const received: Buffer[] = [];
  socket.on('data', (bytes: Buffer) => received.push(Buffer.from(bytes)));
  peer.end(Buffer.concat([message(3, 1), message(20, 2).subarray(0, 9)]));
  await once(socket, 'close');
  expect(Buffer.concat(received)).toEqual(message(3, 1));
});

test('reads as Node.js does if TLS decides what arrives', async () => {
  const accepted = once(server, 'connection');
  const socket = messageSocket({ ssl: true });
  socket.connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [peer] = (await accepted) as [Socket];
  // The answer to a request for TLS is a single byte.
  peer.write('S');
  expect(String((await once(socket, 'data'))[0])).toBe('S');
  peer.destroy();
});
