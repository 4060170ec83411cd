import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Behaviour, drip, flood, writeOnce } from './support/behaviours.ts';
import { startRawReceiver, startReceiver } from './support/receiver.ts';
import { outcomeOf, testSender } from './support/sender.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = 'transfer-encoding: chunked\r\n\r\n';

test.each<[name: string, behaviour: Behaviour]>([
  ['silence', () => undefined],
  ['a half status line', writeOnce('HTTP/1.1 2')],
  ['dripping headers', drip('a: b\r\n', OK)],
  ['a dripping body', drip('a', `${OK}content-length: 9999\r\n\r\n`)],
  ['dripping chunks', drip('1\r\na\r\n', `${OK}${CHUNKED}`)],
  ['dripping interim responses', drip('HTTP/1.1 102 Processing\r\n\r\n')],
])('a response that is not complete in time is ended: %s', async (_, behaviour) => {
  const receiver = await startRawReceiver(behaviour);
  const result = await testSender({ timeoutMs: 300 })(`http://127.0.0.1:${receiver.port}/`);
  expect(result).toMatchObject({ reason: 'timeout', message: 'No complete response came within 0.3 s.' });
  expect(result.durationMs).toBeGreaterThanOrEqual(299);
  await receiver.idle();
});

test.each<[name: string, behaviour: Behaviour]>([
  ['a header of 20 KiB', writeOnce(`${OK}a: ${'b'.repeat(20 * 1024)}\r\n\r\n`)],
  ['one endless header', flood('b', `${OK}a: `)],
  ['endless headers', flood('a: b\r\n', OK)],
  ['endless interim responses', flood('HTTP/1.1 100 Continue\r\n\r\n')],
  ['endless early hints', flood('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')],
])('headers without an end are ended: %s', async (_, behaviour) => {
  const receiver = await startRawReceiver(behaviour);
  const result = await testSender()(`http://127.0.0.1:${receiver.port}/`);
  expect(outcomeOf(result)).toBe('response_too_large');
  await receiver.idle();
});

test.each<[name: string, behaviour: Behaviour]>([
  ['an endless body', flood('abc', `${OK}\r\n`)],
  ['endless chunks', flood('3\r\nabc\r\n', `${OK}${CHUNKED}`)],
  ['a long body', writeOnce(`${OK}content-length: 99999999\r\n\r\n${'abc'.repeat(50_000)}`)],
])('of a long response, 64 KiB are read and the first kilobyte is kept: %s', async (_, behaviour) => {
  const receiver = await startRawReceiver(behaviour);
  const result = await testSender()(`http://127.0.0.1:${receiver.port}/`);
  expect(result).toMatchObject({ status: 200, body: 'abc'.repeat(400).slice(0, 1024) });
  await receiver.idle();
});

test.each<[name: string, behaviour: Behaviour]>([
  ['endless extensions of a chunk', flood('a', `${OK}${CHUNKED}3;`)],
  ['an endless size of a chunk', flood('0', `${OK}${CHUNKED}`)],
  ['endless trailers', flood('a: b\r\n', `${OK}${CHUNKED}0\r\n`)],
])('a body without an end is ended: %s', async (_, behaviour) => {
  const receiver = await startRawReceiver(behaviour);
  const result = await testSender()(`http://127.0.0.1:${receiver.port}/`);
  expect([200, 'response_too_large', 'invalid_response']).toContain(outcomeOf(result));
  await receiver.idle();
});

test.each([
  ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
  [
    'a response to an upgrade',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  ],
  ['two lengths', `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`],
  ['a length and chunks', `${OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`],
  ['a header with a line break', `${OK}a: b\rc: d\r\n\r\n`],
])('an invalid response is a failure: %s', async (_, text) => {
  const receiver = await startRawReceiver((socket) => socket.write(text));
  const result = await testSender()(`http://127.0.0.1:${receiver.port}/`);
  expect(outcomeOf(result)).toBe('invalid_response');
  await receiver.idle();
});

test.each([
  ['before the response', ''],
  ['in the headers', OK],
  ['in the body', `${OK}content-length: 9\r\n\r\nabc`],
  ['in the chunks', `${OK}${CHUNKED}3\r\nabc\r\n`],
])('a connection that ends %s is a failure', async (_, text) => {
  const receiver = await startRawReceiver((socket) => socket.end(text));
  const result = await testSender()(`http://127.0.0.1:${receiver.port}/`);
  expect(outcomeOf(result)).toBe('connection_lost');
});

test('a receiver that does not accept connections is unreachable', async () => {
  const resolve = async (): Promise<readonly string[]> => ['127.0.0.9'];
  const { port } = await startReceiver();
  expect(await testSender({ resolve })(`http://receiver.test:${port}/`)).toMatchObject({
    reason: 'unreachable',
    message: 'The receiver cannot be reached (ECONNREFUSED).',
  });
});

test('a redirect is not followed', async () => {
  const other = await startReceiver();
  for (const status of [301, 302, 303, 307, 308]) {
    const receiver = await startReceiver((_, response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${other.port}/` }).end(),
    );
    expect(outcomeOf(await testSender()(`http://127.0.0.1:${receiver.port}/`))).toBe(status);
  }
  expect(other.connections()).toBe(0);
});

test('a compressed body is not unpacked, and none is asked for', async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000));
  const receiver = await startReceiver((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  );
  const result = await testSender()(`http://127.0.0.1:${receiver.port}/`);
  expect(receiver.requests[0]?.headers['accept-encoding']).toBe('identity');
  expect(result).toMatchObject({ status: 200, body: expect.stringMatching(/^.\ufffd/) });
});
