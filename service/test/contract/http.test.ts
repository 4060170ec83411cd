import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure, JSON_TYPE } from '../harness/answers.ts';
import type { TestService } from '../harness/service.ts';
import { createWorld, type World } from '../harness/world.ts';

let world: World;
let service: TestService;
beforeAll(async () => {
  world = await createWorld();
  service = world.service;
});

const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  service.request(world.token, url, { headers });

describe('a path that is not there', () => {
  test.each(['/v2/audits', '/V1/audits', '/v1x', '/audits', '//v1/audits', '/v1/../etc/passwd', '/%zz'])(
    '%s is 404 in the envelope, with or without a key',
    async (path) => {
      for (const token of [null, world.token]) {
        const answer = await service.request(token, path);
        if (answer.status !== 401) expectFailure(answer, 'not_found');
      }
    },
  );

  test.each([
    '/v1',
    '/v1/',
    '/v1/nothing',
    '/v1/audits/x/y',
    '/v1/Audits',
    '/v1//audits',
    '/v1/%zz',
    '/v1/%',
  ])('%s is 401 without a key, so that nothing is told of what there is, and 404 with one', async (path) => {
    expectFailure(await service.request(null, path), 'invalid_key');
    expectFailure(await get(path), 'not_found');
    expectFailure(await service.request(world.token, path, { method: 'DELETE' }), 'not_found');
  });
});

describe('the Request-Id', () => {
  const SANE = ['a', 'req-1f3a', 'A.b_c:d-9', 'x'.repeat(128)];
  const INSANE = [
    '',
    ' ',
    'a b',
    'x'.repeat(129),
    'a"b',
    '<script>',
    'é',
    'a,b',
    `svc_live_${'a'.repeat(32)}`,
  ];
  const URLS = [
    '/v1/audits',
    '/v1/audits?limit=0',
    '/v1/nothing',
    '/nothing',
    '/healthz',
    '/%zz',
    '/v1/audits/%zz',
  ];

  test.each(URLS)('of the caller is kept when it is sane, and replaced when it is not: %s', async (url) => {
    for (const name of ['request-id', 'x-request-id']) {
      for (const id of SANE) expect((await get(url, { [name]: id })).headers['request-id']).toBe(id);
      for (const id of INSANE) {
        expect((await get(url, { [name]: id })).headers['request-id']).toMatch(/^req_[0-9a-f-]{36}$/);
      }
    }
  });

  test('is another one in each answer', async () => {
    const ids = await Promise.all(URLS.map(async (url) => (await get(url)).headers['request-id']));
    expect(new Set(ids).size).toBe(URLS.length);
  });
});

describe('a body', () => {
  const send = (contentType: string, payload: string, url = '/v1/audits') =>
    service.request(world.token, url, { method: 'PUT', payload, headers: { 'content-type': contentType } });

  test.each([
    '{',
    '{"a":1',
    'undefined',
    '',
    '{"a":1}}',
    '\u0000',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{}}}',
  ])('that is not valid JSON is refused: %j', async (payload) => {
    expectFailure(await send('application/json', payload), 'invalid_body');
  });

  test('that is empty is refused where there must be one, also of a POST and a PATCH', async () => {
    const { token } = await service.issue(world.workspaceId, { access: 'write' });
    for (const [method, url] of [
      ['POST', '/v1/companies'],
      ['PATCH', '/v1/companies/none'],
    ] as const) {
      for (const headers of [{ 'content-type': 'application/json' }, {}]) {
        const answer = await service.request(token, url, { method, headers, payload: '' });
        expectFailure(answer, 'invalid_body');
      }
    }
  });

  test('of another type than JSON is 415', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'x',
      'image/png;a=b',
    ]) {
      expectFailure(await send(type, 'x'), 'unsupported_media_type');
    }
  });

  test('that is too large is 413', async () => {
    expectFailure(
      await send('application/json', JSON.stringify('x'.repeat(9 * 1024 * 1024))),
      'payload_too_large',
    );
  });
});

describe('over a socket', () => {
  let port: number;
  beforeAll(async () => {
    const address = await service.app.listen({ port: 0, host: '127.0.0.1' });
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
    ['a method that is none', 'NONE /v1/audits HTTP/1.1\r\nhost: a\r\n\r\n', 400, 'invalid_request'],
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
    expect(answer.endsWith((await get('/v1/audits?limit=1')).text)).toBe(true);
  });

  test.each(['TRACE', 'PROPFIND', 'PURGE', 'QUERY'])(
    '%s, which no path has, is refused like PUT',
    async (method) => {
      // A QUERY without the type of its content is refused before anybody looks for the path.
      const content =
        method === 'QUERY' ? 'content-type: application/json\r\ncontent-length: 2\r\n\r\n{}' : '\r\n';
      const answer = await exchange(
        `${method} /v1/audits HTTP/1.1\r\nhost: a\r\nconnection: close\r\nauthorization: Bearer ${world.token}\r\n${content}`,
      );
      expect(answer).toMatch(/^HTTP\/1.1 405 /);
      expect(answer).toMatch(/\r\nallow: GET, HEAD, POST\r\n/i);
      expect(answer).toMatch(/\r\nrequest-id: /i);
      expect(answer).toMatch(/\{"error":\{"code":"method_not_allowed","message":"[^"]+"\}\}$/);
    },
  );
});
