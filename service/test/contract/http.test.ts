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
  const send = async (contentType: string, payload: string | Buffer, url = '/v1/audits') => {
    const token = await service.token(world.workspaceId, { mode: 'test', access: 'write' });
    return service.request(token, url, { method: 'POST', payload, headers: { 'content-type': contentType } });
  };

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

  test.each([
    ['Latin-1', Buffer.from('{"name":"\xe9t\xe9"}', 'latin1')],
    ['a cut off character', Buffer.from('{"name":"é"}').subarray(0, 10)],
    ['an overlong form', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['a surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['UTF-16', Buffer.from('{"name":"a"}', 'utf16le')],
  ])('that is not UTF-8 is refused, not repaired: %s', async (_, payload) => {
    const json = 'application/json';
    for (const url of ['/v1/companies', '/v1/companies/batch'])
      expectFailure(await send(json, payload, url), 'invalid_body');
    const { token } = await service.issue(world.workspaceId, { access: 'write' });
    const patch = { method: 'PATCH', payload, headers: { 'content-type': json } } as const;
    expectFailure(await service.request(token, '/v1/companies/none', patch), 'invalid_body');
    const origin = { 'content-type': json, origin: 'http://svc.test' };
    const signIn = '/dashboard/api/auth/sign-in/email';
    const { statusCode, body } = await service.app.inject({
      method: 'POST',
      url: signIn,
      payload,
      headers: origin,
    });
    expect([statusCode, body]).toEqual([400, expect.stringContaining('"invalid_body"')]);
  });

  test('may say that it is UTF-8, and nothing else', async () => {
    for (const charset of ['utf-8', 'UTF-8', '"utf-8"', 'utf8'])
      expect(
        (await send(`application/json; charset=${charset}`, '{"name":"é"}', '/v1/companies')).status,
      ).toBe(201);
    for (const charset of ['latin1', 'iso-8859-1', '"utf-16"', 'us-ascii', ''])
      expectFailure(
        await send(`application/json; charset=${charset}`, '{"name":"é"}', '/v1/companies'),
        'unsupported_media_type',
      );
  });

  test('is not looked at where the path or the method is wrong', async () => {
    const bodies = [
      ['application/json', '{bad'],
      ['application/json', ''],
      ['text/plain', 'x'],
      ['application/json', JSON.stringify('x'.repeat(9 * 1024 * 1024))],
    ] as const;
    for (const [type, payload] of bodies) {
      const headers = { 'content-type': type };
      for (const [method, url, code] of [
        ['POST', '/v1/nope', 'not_found'],
        ['POST', '/nope', 'not_found'],
        ['PUT', '/v1/companies', 'method_not_allowed'],
        ['PATCH', '/v1/audits/x', 'method_not_allowed'],
        ['POST', '/v1/companies/x', 'method_not_allowed'],
      ] as const)
        expectFailure(await service.request(world.token, url, { method, payload, headers }), code);
    }
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
