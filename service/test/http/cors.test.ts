import { RESPONSE_HEADERS } from '@svc/openapi/headers';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { createTestService, type TestAnswer, type TestService } from '../harness/service.ts';

const ORIGIN = 'https://app.example.com';
const OTHER_ORIGINS = ['https://evil.example', 'http://app.example.com', `${ORIGIN}.evil.example`, 'null'];

let service: TestService;
let token: string;
let workspaceId: string;
beforeAll(async () => {
  service = await createTestService({ corsOrigins: ['http://localhost:3000', ORIGIN] });
  workspaceId = await service.workspace();
  token = await service.token(workspaceId, { access: 'write' });
});

const corsHeaders = ({ headers }: Pick<TestAnswer, 'headers'>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));

const readable = {
  'access-control-allow-origin': ORIGIN,
  'access-control-expose-headers': expect.any(String),
};

const preflight = (origin: string, url = '/v1/audits', of = service) =>
  of.app.inject({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  });

describe('a preflight', () => {
  test.each(['/v1/audits', '/v1/companies/com_a', '/v1/batch', '/v1/changes/stream', '/v1/unknown'])(
    'of an allowed origin needs no key, and the browser may keep its response: %s',
    async (url) => {
      const answer = await preflight(ORIGIN, url);
      expect([answer.statusCode, answer.body]).toEqual([204, '']);
      expect(corsHeaders(answer)).toEqual({
        ...readable,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': expect.stringMatching(
          /^Authorization, Content-Type, Idempotency-Key, /,
        ),
        'access-control-max-age': '7200',
      });
      expect(answer.headers['vary']).toBe('origin');
    },
  );

  test.each(OTHER_ORIGINS)('of the origin %s is refused like any request without a key', async (origin) => {
    const answer = await preflight(origin);
    expect(answer.statusCode).toBe(401);
    expect(corsHeaders(answer)).toEqual({});
    expect(answer.headers['vary']).toBe('authorization, origin');
  });

  test('without a requested method is a request like any other', async () => {
    const answer = await service.request(token, '/v1/audits', {
      method: 'OPTIONS',
      headers: { origin: ORIGIN },
    });
    expectFailure(answer, 'method_not_allowed');
    expect(corsHeaders(answer)).toEqual(readable);
  });
});

describe('a page of an allowed origin', () => {
  const request = (
    url: string,
    options: Parameters<TestService['request']>[2] = {},
    key: string | null = token,
  ) => service.request(key, url, { ...options, headers: { origin: ORIGIN, ...options.headers } });

  test('can read responses and all documented headers, but no credentials are allowed', async () => {
    const payload = { name: 'Acme' };
    const created = await request('/v1/companies', { method: 'POST', payload });
    expect(created.status).toBe(201);
    const list = await request('/v1/companies');
    const same = await request('/v1/companies', {
      headers: { 'if-none-match': String(list.headers['etag']) },
    });
    expect([list.status, same.status]).toEqual([200, 304]);
    for (const answer of [created, list, same, await request('/v1/companies/export')]) {
      expect(corsHeaders(answer)).toEqual(readable);
      const exposed = String(answer.headers['access-control-expose-headers']).split(', ');
      expect(exposed).toEqual(expect.arrayContaining([...RESPONSE_HEADERS]));
      expect(exposed).toEqual(expect.arrayContaining(['Request-Id', 'ETag', 'RateLimit', 'Retry-After']));
      expect(String(answer.headers['vary']).split(', ')).toEqual(
        expect.arrayContaining(['authorization', 'origin']),
      );
    }
  });

  test('can read which methods a path has', async () => {
    const { status, headers } = await request('/v1/audits', { method: 'DELETE' });
    expect([status, headers['allow']]).toEqual([405, expect.stringContaining('GET')]);
    expect(String(headers['access-control-expose-headers']).split(', ')).toContain('Allow');
  });

  test('can read refusals: of the key, of its limit, of a body, of a path', async () => {
    const limited = await service.token(workspaceId, { burstLimit: 1 });
    const revoked = await service.issue(workspaceId);
    expect((await request('/v1/audits', {}, revoked.token)).status).toBe(200);
    await service.pool.query('update api_keys set revoked_at = now() where workspace_id = $1 and id = $2', [
      workspaceId,
      revoked.keyId,
    ]);
    await request('/v1/audits', {}, limited);
    const refusals = [
      [await request('/v1/audits', {}, null), 401],
      // The key is still in memory: only the audit entry notices.
      [await request('/v1/audits', {}, revoked.token), 401],
      [await request('/v1/audits', {}, limited), 429],
      [await request('/v1/companies', { method: 'POST', payload: {} }), 400],
      [await request('/v1/unknown'), 404],
    ] as const;
    expect(refusals.map(([{ status }]) => status)).toEqual(refusals.map(([, status]) => status));
    for (const [answer] of refusals) expect(corsHeaders(answer)).toEqual(readable);
  });
});

test.each(OTHER_ORIGINS)('a page of the origin %s cannot read responses', async (origin) => {
  const answer = await service.request(token, '/v1/audits', { headers: { origin } });
  expect([answer.status, corsHeaders(answer)]).toEqual([200, {}]);
  expect(answer.headers['vary']).toBe('authorization, accept-encoding, origin');
});

test.each(['/dashboard/api/session', '/openapi.json', '/docs', '/healthz'])(
  'only paths below /v1 can be read: not %s',
  async (url) => {
    const answer = await service.request(null, url, { headers: { origin: ORIGIN } });
    expect(corsHeaders(answer)).toEqual({});
    expect(corsHeaders(await preflight(ORIGIN, url))).toEqual({});
  },
);

test('without the setting, no origin is allowed and responses do not vary by it', async () => {
  const closed = await createTestService();
  const key = await closed.token(await closed.workspace());
  const answer = await closed.request(key, '/v1/audits', { headers: { origin: ORIGIN } });
  expect([corsHeaders(answer), answer.headers['vary']]).toEqual([{}, 'authorization, accept-encoding']);
  const refused = await preflight(ORIGIN, '/v1/audits', closed);
  expect([refused.statusCode, corsHeaders(refused)]).toEqual([401, {}]);
});
