import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type ConnectionLimits, limitConnections } from '@svc/http-content/connections';
import { expect, test } from 'vitest';
import { onFileEnd } from '../../test/harness/cleanup.ts';

const BODY = Buffer.alloc(1024 * 1024, 'x');
/** More than the kernel's buffers hold. */
const LARGE_BYTES = 32 * BODY.length;
/** The pause of a slow client between two reads. */
const PAUSE_MS = 5;
const REQUEST = 'GET / HTTP/1.1\r\nHost: test\r\n\r\n';

/** Opens connections to a server. `accepted` has the sockets of the server, in the same order. */
async function connecting(
  limits: ConnectionLimits,
  body: Buffer = BODY,
): Promise<{ readonly open: () => Promise<Socket>; readonly accepted: readonly Socket[] }> {
  const server = createServer((_, response) => response.end(body));
  limitConnections(server, limits);
  const accepted: Socket[] = [];
  server.on('connection', (socket) => accepted.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onFileEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  return { open, accepted };
}

test('a connection is ended if nobody reads its responses, but not if it is read or idle', async () => {
  const { open, accepted } = await connecting({ unreadTimeoutMs: 200 });
  const [deaf, reader, idle] = [await open(), await open(), await open()];
  let read = 0;
  reader.on('data', (chunk: Buffer) => {
    read += chunk.length;
  });
  deaf.pause();
  deaf.write(REQUEST.repeat(50));
  reader.write(REQUEST.repeat(50));
  await expect.poll(() => read, { timeout: 20_000 }).toBeGreaterThan(50 * BODY.length);
  // The client notices the end only when it writes or reads.
  await expect.poll(() => accepted[0]?.destroyed, { timeout: 10_000 }).toBe(true);
  for (const socket of [reader, idle])
    expect([socket.destroyed, socket.readableEnded]).toEqual([false, false]);
  for (const socket of [reader, idle]) socket.destroy();
});

test('a client that reads one large response slowly gets all of it', async () => {
  // The kernel reads ahead by megabytes.
  const unreadTimeoutMs = 1_000;
  const { open } = await connecting({ unreadTimeoutMs }, Buffer.alloc(LARGE_BYTES, 'x'));
  const socket = await open();
  let read = 0;
  const readPiece = (): number => {
    const piece: Buffer | null = socket.read();
    read += piece?.length ?? 0;
    return read;
  };
  const before = performance.now();
  socket.write(REQUEST);
  await expect.poll(readPiece, { interval: PAUSE_MS, timeout: 30_000 }).toBeGreaterThan(LARGE_BYTES);
  // This took longer than the timeout for a client that does not read.
  expect(performance.now() - before).toBeGreaterThan(unreadTimeoutMs);
  socket.destroy();
});

test('connections above the limit are closed at once', async () => {
  const { open } = await connecting({ max: 2 });
  const sockets = [await open(), await open()];
  const beyond = await open();
  beyond.resume();
  await once(beyond, 'close');
  for (const socket of sockets) expect(socket.destroyed).toBe(false);
  for (const socket of sockets) socket.destroy();
});
