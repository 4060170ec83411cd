import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { dataDirectory } from '@svc/embedded-postgres/testing';
import { describe, expect, test } from 'vitest';
import { sendClientError, sendProtocolErrors } from '../../src/http/protocol-errors.ts';
import { onFileEnd } from '../harness/cleanup.ts';
import { startSvcd } from '../harness/process.ts';
import { startRunningService } from '../harness/running-service.ts';

const KIB = 1024;
const { service, key } = await startRunningService();

/** Sends these bytes and returns all that comes back until the other side ends the connection. */
async function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // The server may respond to a broken request before it has received all of it.
  socket.on('error', () => undefined);
  socket.write(bytes);
  return text(socket);
}

function parse(answer: string): { status: number; headers: string; code: unknown } {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const { error } = JSON.parse(body) as { error: { code: string; message: string } };
  return { status: Number(head.split(' ')[1]), headers: head.toLowerCase(), code: error.code };
}

describe('a request that is not valid HTTP is answered in the envelope', () => {
  const auth = `Authorization: Bearer ${key.token}`;
  test.each([
    [
      'headers of 20 KiB',
      `GET /v1/audits HTTP/1.1\r\nHost: a\r\n${auth}\r\nX: ${'x'.repeat(20 * KIB)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'an address of 20 KiB',
      `GET /${'x'.repeat(20 * KIB)} HTTP/1.1\r\nHost: a\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['a broken request line', 'NONSENSE\r\n\r\n', 400, 'invalid_request'],
    [
      'two different lengths',
      'POST /v1/audits HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'invalid_request',
    ],
    [
      'a length and chunks',
      'POST /v1/audits HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'invalid_request',
    ],
    [
      'a null byte in a header',
      `GET /v1/audits HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n`,
      400,
      'invalid_request',
    ],
  ])('%s', async (_, bytes, status, code) => {
    const answer = parse(await exchange(service.url, bytes));
    expect(answer).toMatchObject({ status, code });
    expect(answer.headers).toContain('content-type: application/json');
    expect(answer.headers).toMatch(/request-id: req_/);
    expect(answer.headers).toContain('connection: close');
  });

  test('a request that does not arrive in time', async () => {
    const server: Server = createServer({
      requestTimeout: 50,
      headersTimeout: 50,
      connectionsCheckingInterval: 10,
    });
    server.on('clientError', sendClientError);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onFileEnd(() => new Promise((resolve) => void server.close(() => resolve())));
    const { port } = server.address() as AddressInfo;
    const answer = await exchange(`http://127.0.0.1:${port}`, 'GET /v1/audits HTTP/1.1\r\nHost: a\r\n');
    expect(parse(answer)).toMatchObject({ status: 408, code: 'request_timeout' });
  });

  test('after a response that fails: nothing is left unhandled', async () => {
    const server: Server = createServer((_, response) => {
      response.on('error', () => undefined);
      server.once('clientError', () => {
        response.end('first');
        // Fails with ERR_STREAM_WRITE_AFTER_END before the response is closed.
        response.write('more');
      });
    });
    sendProtocolErrors(server);
    server.on('clientError', sendClientError);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onFileEnd(() => new Promise((resolve) => void server.close(() => resolve())));
    const { port } = server.address() as AddressInfo;
    const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    const answer = await exchange(`http://127.0.0.1:${port}`, `${request}NONSENSE\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*firstHTTP\/1\.1 400 /s);
  });

  test('and the service continues', async () => {
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });
});

test('a service on localhost has one address, and answers there in the envelope too', async () => {
  const here = await startSvcd({ SVC_DATA_DIR: await dataDirectory(), SVC_HOST: 'localhost' });
  const { port, hostname } = new URL(here.url);
  expect(hostname).toBe('localhost');
  const request = 'GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: the impossible\r\n\r\n';
  expect(parse(await exchange(`http://127.0.0.1:${port}`, request))).toMatchObject({
    status: 417,
    code: 'expectation_failed',
  });
  await expect(fetch(`http://[::1]:${port}/healthz`)).rejects.toThrow();
  expect(await here.stop()).toEqual({ code: 0, signal: null });
});

test('exports, plain or compressed, write no warning', async () => {
  const exporting = await startRunningService();
  for (const encoding of ['identity', 'gzip']) {
    const headers = { authorization: `Bearer ${exporting.key.token}`, 'accept-encoding': encoding };
    const answer = await fetch(`${exporting.service.url}/v1/companies/export`, { headers });
    expect(answer.status).toBe(200);
    await answer.text();
  }
  await exporting.service.stop();
  expect(exporting.service.stderr()).not.toContain('Warning');
});
