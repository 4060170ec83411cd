import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseRetryAfter } from '../src/retry-after.ts';
import { AUTHORITY } from './support/certificate.ts';
import { startRawReceiver, startReceiver, startSecureReceiver } from './support/receiver.ts';
import { outcomeOf, testResolver, testSender } from './support/sender.ts';

test('a request has the headers and the bytes of the caller', async () => {
  const bodies: Promise<string>[] = [];
  const receiver = await startReceiver((request, response) => {
    bodies.push(text(request));
    request.on('end', () => response.writeHead(503, { 'retry-after': '120' }).end('later\0'));
  });
  const result = await testSender()(`http://127.0.0.1:${receiver.port}/a%20b?c=d`, {
    headers: { 'content-type': 'application/json', 'webhook-id': 'chg_1' },
  });
  expect(result).toMatchObject({
    kind: 'response',
    status: 503,
    body: 'later\uFFFD',
    retryAfterSeconds: 120,
  });
  const [request] = receiver.requests;
  expect([request?.method, request?.url, await bodies[0]]).toEqual(['POST', '/a%20b?c=d', '{"a":"ä"}']);
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': 'chg_1',
    'content-length': '10',
    host: `127.0.0.1:${receiver.port}`,
  });
});

test('a character that the end of the first kilobyte cuts is left out', async () => {
  const { port } = await startReceiver((_, response) => response.end(`a${'ä'.repeat(600)}`));
  expect(await testSender()(`http://127.0.0.1:${port}/`)).toMatchObject({ body: `a${'ä'.repeat(511)}` });
});

test('requests of one owner share a connection, and requests of two owners share none', async () => {
  const receiver = await startReceiver();
  const send = testSender();
  const url = `http://127.0.0.1:${receiver.port}/`;
  await send(url, { owner: 'a' });
  await send(url, { owner: 'a' });
  expect(receiver.connections()).toBe(1);
  await send(url, { owner: 'b' });
  expect([receiver.connections(), receiver.requests.length]).toEqual([2, 3]);
});

test('an owner has only so many connections to a receiver', async () => {
  const receiver = await startReceiver();
  const send = testSender({ connectionsMax: 3 });
  const url = `http://127.0.0.1:${receiver.port}/`;
  const results = await Promise.all(Array.from({ length: 20 }, () => send(url)));
  expect(results.map(outcomeOf)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(receiver.connections()).toBe(3);
});

test('of all owners, at most 256 connections stay open without a request', async () => {
  const receiver = await startReceiver();
  const send = testSender();
  const url = `http://127.0.0.1:${receiver.port}/`;
  for (let owner = 0; owner < 300; owner += 1) await send(url, { owner: `${owner}` });
  await expect.poll(receiver.open).toBe(256);
  await send(url, { owner: '299' });
  await send(url, { owner: '44' });
  expect(receiver.connections()).toBe(300);
  await send(url, { owner: '43' });
  expect(receiver.connections()).toBe(301);
});

test('when the receiver closes an idle connection at its next use, the request is sent on a new one', async () => {
  const receiver = await startRawReceiver((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    socket.once('data', () => socket.resetAndDestroy());
  });
  const send = testSender();
  const url = `http://127.0.0.1:${receiver.port}/`;
  expect([await send(url), await send(url)].map(outcomeOf)).toEqual([200, 200]);
  expect(receiver.connections()).toBe(2);
});

test('a request ends with the reason of its signal, at any time', async () => {
  const receiver = await startRawReceiver((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nabc'));
  const silent = await startRawReceiver(() => undefined);
  const resolve = await testResolver({ 'silent.test': [] });
  const send = testSender({ resolve });
  await expect(send('http://127.0.0.1:1/', { signal: AbortSignal.abort('before') })).rejects.toBe('before');
  for (const host of ['silent.test', `127.0.0.1:${silent.port}`, `127.0.0.1:${receiver.port}`]) {
    await expect(send(`http://${host}/`, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  }
  await Promise.all([receiver.idle(), silent.idle()]);
});

test('a name server that does not answer ends with the time of the request', async () => {
  const send = testSender({ resolve: await testResolver({ 'silent.test': [] }), timeoutMs: 200 });
  expect(outcomeOf(await send('http://silent.test/'))).toBe('timeout');
});

describe('with a trusted authority', () => {
  const before = getCACertificates('default');
  beforeAll(() => setDefaultCACertificates([...before, AUTHORITY]));
  afterAll(() => setDefaultCACertificates(before));

  test('a certificate must be for the host name, not for the address', async () => {
    const { port, connections } = await startSecureReceiver();
    const resolve = async (): Promise<readonly string[]> => ['127.0.0.1'];
    const send = testSender({ resolve });
    expect(outcomeOf(await send(`https://receiver.test:${port}/`))).toBe(200);
    expect(outcomeOf(await send(`https://receiver.test.:${port}/`))).toBe(200);
    for (const host of ['other.test', '127.0.0.1', 'localhost']) {
      expect(await send(`https://${host}:${port}/`)).toMatchObject({
        reason: 'tls_failed',
        message: 'The receiver has no valid certificate for its host name (ERR_TLS_CERT_ALTNAME_INVALID).',
      });
    }
    expect(connections()).toBe(4);
  });

  test('a server without TLS fails', async () => {
    const { port } = await startReceiver();
    expect(outcomeOf(await testSender()(`https://127.0.0.1:${port}/`))).toBe('tls_failed');
  });
});

test('a certificate of an unknown authority is refused', async () => {
  const { port } = await startSecureReceiver();
  const send = testSender({ resolve: async () => ['127.0.0.1'] });
  expect(outcomeOf(await send(`https://receiver.test:${port}/`))).toBe('tls_failed');
});

test('Retry-After is seconds or a date of HTTP', () => {
  const now = Date.parse('2026-01-01T00:00:00.500Z');
  expect(parseRetryAfter('0', now)).toBe(0);
  expect(parseRetryAfter('3600', now)).toBe(3600);
  expect(parseRetryAfter('Thu, 01 Jan 2026 00:01:00 GMT', now)).toBe(60);
  expect(parseRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now)).toBe(0);
  for (const header of [undefined, '', '-1', '1.5', '2026-01-01', 'soon', 'Thu, 99 Jan 2026 00:01:00 GMT']) {
    expect(parseRetryAfter(header, now)).toBeUndefined();
  }
});
