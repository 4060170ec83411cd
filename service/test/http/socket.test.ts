import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { JSON_TYPE } from '../harness/answers.ts';
import { createWorld, type World } from '../harness/world.ts';

const SIGN_IN = '/dashboard/api/auth/sign-in/email';
const JSON_BODY = 'authorization: Bearer x\r\ncontent-type: application/json\r\n';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

describe('over a socket', () => {
  let port: number;
  beforeAll(async () => {
    const address = await world.service.app.listen({ port: 0, host: '127.0.0.1' });
    port = Number(new URL(address).port);
  });

  /** Sends bytes, and reads until the service closes the connection. */
  const exchange = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let answer = '';
      socket.setEncoding('utf8');
      socket.on('data', (data) => {
        answer += data;
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(answer));
      socket.write(text);
    });

  const only = (...headers: readonly string[]): string =>
    `GET /v1/audits HTTP/1.1\r\nconnection: close\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`;

  const broken: readonly (readonly [string, string, number, string])[] = [
    [
      'headers that are too large',
      `GET /v1/audits HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'a URL that is too long',
      `GET /v1/audits?${'x'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['what is not HTTP', 'hello\r\n\r\n', 400, 'invalid_request'],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001', 400, 'invalid_request'],
    ['a method that is unknown', 'NONE /v1/audits HTTP/1.1\r\nhost: a\r\n\r\n', 405, 'method_not_allowed'],
    ['a tunnel', 'CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n', 405, 'method_not_allowed'],
    ['HTTP/2.0', 'GET /v1/audits HTTP/2.0\r\nhost: a\r\nconnection: close\r\n\r\n', 400, 'invalid_request'],
    ['HTTP/0.9', 'GET /v1/audits HTTP/0.9\r\nhost: a\r\n\r\n', 400, 'invalid_request'],
    ['two hosts', only('host: a', 'host: a'), 400, 'invalid_request'],
    ['a host with a user', only('host: a@b'), 400, 'invalid_request'],
    ['a host with a space', only('host: a b'), 400, 'invalid_request'],
    ['a host with a path', only('host: a/b'), 400, 'invalid_request'],
    [
      'two keys',
      only('host: a', 'authorization: Bearer x', 'authorization: Bearer y'),
      400,
      'invalid_request',
    ],
    [
      'a fragment',
      'GET /v1/audits#x HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
      400,
      'invalid_request',
    ],
    [
      'an expectation that cannot be met',
      'POST /v1/audits HTTP/1.1\r\nhost: a\r\nexpect: foo\r\ncontent-length: 5\r\n\r\n',
      417,
      'expectation_failed',
    ],
    ['no Host', 'GET /v1/audits HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'invalid_request'],
    [
      'two lengths',
      'POST /v1/audits HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx',
      400,
      'invalid_request',
    ],
    [
      'an expectation of the dashboard, with a key',
      `POST ${SIGN_IN} HTTP/1.1\r\nhost: a\r\n${JSON_BODY}expect: foo\r\ncontent-length: 5\r\n\r\n`,
      417,
      'expectation_failed',
    ],
    [
      'a broken body of the dashboard, with a key',
      `POST ${SIGN_IN} HTTP/1.1\r\nhost: a\r\n${JSON_BODY}transfer-encoding: chunked\r\n\r\nx\r\n`,
      400,
      'invalid_request',
    ],
    [
      'a length and chunks',
      'POST /v1/audits HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\nx',
      400,
      'invalid_request',
    ],
  ];
  test.each(broken)('%s is answered in the envelope', async (_, request, status, code) => {
    const answer = await exchange(request);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/\r\nrequest-id: req_[0-9a-f-]{36}(\r\n|$)/i);
    expect(head.toLowerCase()).toContain(`content-type: ${JSON_TYPE}`);
    expect(JSON.parse(body)).toEqual({ error: { code, message: expect.any(String) } });
  });

  test('a request with a key is answered as in process', async () => {
    const answer = await exchange(
      `GET /v1/audits?limit=1 HTTP/1.1\r\nhost: a\r\nconnection: close\r\nauthorization: Bearer ${world.token}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(answer.endsWith((await world.get({ path: '/v1/audits' }, { limit: 1 })).text)).toBe(true);
  });

  test.each(['TRACE', 'PROPFIND', 'PURGE', 'QUERY'])(
    '%s, which no path has, is refused like PUT',
    async (method) => {
      const answer = await exchange(
        `${method} /v1/audits HTTP/1.1\r\nhost: a\r\nconnection: close\r\nauthorization: Bearer ${world.token}\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1.1 405 /);
      expect(answer).toMatch(/\r\nallow: GET, HEAD, POST\r\n/i);
      expect(answer).toMatch(/\r\nrequest-id: /i);
      expect(answer).toMatch(/\{"error":\{"code":"method_not_allowed","message":"[^"]+"\}\}$/);
    },
  );
});
