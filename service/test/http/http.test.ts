import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
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
  ])('%s is 401 without a key, so that nobody learns which paths exist, and 404 with one', async (path) => {
    expectFailure(await service.request(null, path), 'invalid_key');
    expectFailure(await get(path), 'not_found');
    expectFailure(await service.request(world.token, path, { method: 'DELETE' }), 'not_found');
  });
});

describe('the Request-Id', () => {
  const VALID = ['a', 'req-1f3a', 'A.b_c:d-9', 'x'.repeat(128)];
  const INVALID = [
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

  test.each(URLS)('of the caller is kept if it is valid, and replaced if it is not: %s', async (url) => {
    for (const name of ['request-id', 'x-request-id']) {
      for (const id of VALID) expect((await get(url, { [name]: id })).headers['request-id']).toBe(id);
      for (const id of INVALID) {
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

  test.each([
    ['{"__proto__":{"a":1}}', '/v1/audits', '/__proto__'],
    ['{"constructor":{"prototype":{}}}', '/v1/audits', '/constructor'],
    ['{"data":[{"companyId":"a"},{"__proto__":1}]}', '/v1/audits/batch', '/data/1/__proto__'],
    [
      '{"operations":[{"method":"POST","path":"/v1/audits","body":{"__proto__":1}}]}',
      '/v1/batch',
      '/__proto__',
    ],
  ])(
    'with a field that JavaScript treats specially is refused by its name: %s',
    async (payload, url, field) => {
      const answer = await send('application/json', payload, url);
      expectFailure(answer, 'invalid_body');
      expect(answer.text).toContain(field);
    },
  );

  test.each(['PATCH', 'PUT'] as const)(
    'with a field __proto__ is refused by its name, and changes nothing: %s',
    async (method) => {
      const { token } = await service.issue(world.workspaceId, { access: 'write' });
      const url = `/v1/companies/com_proto_${method}`;
      const send = (payload: string, sent: 'PUT' | 'PATCH') =>
        service.request(token, url, {
          method: sent,
          payload,
          headers: { 'content-type': 'application/json' },
        });
      expect((await send('{"name":"Acme"}', 'PUT')).status).toBe(201);
      const answer = await send('{"name":"Other","__proto__":{"name":"x"}}', method);
      expectFailure(answer, 'invalid_body');
      expect(answer.text).toContain('/__proto__');
      expect((await service.request(token, url)).json()).toMatchObject({ name: 'Acme' });
    },
  );

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
