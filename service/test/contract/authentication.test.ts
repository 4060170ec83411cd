import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { LISTS } from '../harness/lists.ts';
import { waitingForLocks } from '../harness/locks.ts';
import { createTestService, TEST_ACTOR, type TestService } from '../harness/service.ts';

const RANDOM = 'A'.repeat(32);
const UNKNOWN = `svc_live_${RANDOM}`;

let service: TestService;
let workspaceId: string;
/** A token of a live key and one of a test key. Both keys are revoked and were never used. */
let revoked: readonly string[];
beforeAll(async () => {
  service = await createTestService();
  workspaceId = await service.workspace();
  const revoke = async (mode: 'live' | 'test') => {
    const { keyId, token } = await service.issue(workspaceId, { mode });
    await service.keys.revoke(workspaceId, keyId, TEST_ACTOR);
    return token;
  };
  revoked = [await revoke('live'), await revoke('test')];
});

const ask = (url: string, authorization?: string) =>
  service.request(null, url, authorization === undefined ? {} : { headers: { authorization } });

const PATHS = [
  ...LISTS.flatMap(({ path }) => [path, `${path}/some_id`, `${path}?limit=0`]),
  '/v1/audits/count',
  '/v1/no-such-path',
];

describe.each(PATHS)('without a valid key, %s', (path) => {
  test.each([undefined, '', 'Basic c3ZjOnN2Yw==', UNKNOWN, 'Bearer', 'Bearer '])(
    'responds with 401 and requests a bearer token if Authorization is %j',
    async (authorization) => {
      const answer = await ask(path, authorization);
      expectFailure(answer, 'invalid_key');
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    },
  );

  test('responds with 401 in the same bytes to a malformed, an unknown and a revoked token', async () => {
    const tokens = [
      UNKNOWN,
      ...revoked,
      'x',
      `svc_live_${RANDOM}A`,
      `svc_live_${RANDOM.slice(1)}`,
      `svc_prod_${RANDOM}`,
      `SVC_LIVE_${RANDOM}`,
      `svc_live_${RANDOM.slice(1)}+`,
      `${UNKNOWN} ${UNKNOWN}`,
    ];
    const answers = await Promise.all(tokens.map((token) => ask(path, `Bearer ${token}`)));
    const [first] = answers;
    for (const answer of answers) {
      expectFailure(answer, 'invalid_key', 'invalid or has been revoked');
      expect(answer.text).toBe(first?.text);
      expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
      expect(Object.keys(answer.headers)).toEqual(Object.keys(first?.headers ?? {}));
    }
  });
});

test('the scheme is accepted in any case, with more than one space', async () => {
  const token = await service.token(workspaceId);
  for (const scheme of ['bearer', 'BEARER', 'Bearer ', 'Bearer  ']) {
    expect((await ask('/v1/audits', `${scheme} ${token}`)).status).toBe(200);
  }
});

describe('a token in the URL', () => {
  const encodings: readonly (readonly [string, (token: string) => string])[] = [
    ['plain', (token) => token],
    ['percent-encoded', (token) => encodeURIComponent(token).replaceAll('_', '%5F').replaceAll('s', '%73')],
    ['percent-encoded twice', (token) => token.replaceAll('_', '%255F')],
    [
      'percent-encoded throughout',
      (token) => [...token].map((c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`).join(''),
    ],
  ];

  test.each(encodings)('is refused at any place of the URL, valid or not: %s', async (_, encode) => {
    const valid = await service.token(workspaceId);
    for (const token of [valid, UNKNOWN]) {
      const text = encode(token);
      const urls = [`?api_key=${text}`, `/${text}`, `?cursor=${text}`, `?${text}`, `?limit=1&x=a${text}b`];
      for (const url of urls.map((rest) => `/v1/audits${rest}`)) {
        for (const headers of [undefined, `Bearer ${valid}`]) {
          expectFailure(await ask(url, headers), 'invalid_parameter', 'never be part of a URL');
        }
      }
    }
  });

  test.each([
    '/healthz?x=',
    '/metrics?',
    '/openapi.json?key=',
    '/docs/',
    '/',
    '/other?key=',
    '/%zz/',
    '/v2/audits?key=',
    '/dashboard/api/me?key=',
    '/dashboard/api/workspaces/',
    '/dashboard/',
  ])('is refused outside of /v1 too: %s', async (path) => {
    for (const [, encode] of encodings) {
      for (const headers of [undefined, `Bearer ${UNKNOWN}`]) {
        expectFailure(
          await ask(path + encode(UNKNOWN), headers),
          'invalid_parameter',
          'never be part of a URL',
        );
      }
    }
  });

  test.each(['/v1/companies', '/dashboard/api/auth/sign-out'])(
    'is refused in an Idempotency-Key, which the database keeps: %s',
    async (url) => {
      const token = await service.token(workspaceId, { access: 'write' });
      for (const key of [token, `retry-${token}`, token.replaceAll('_', '%5F')]) {
        const answer = await service.request(token, url, {
          method: 'POST',
          headers: { 'idempotency-key': key },
          payload: { name: 'Acme' },
        });
        expectFailure(answer, 'invalid_parameter', 'never be part of a URL or an Idempotency-Key');
      }
    },
  );

  test('is not in a log line, an audit entry or the response', async () => {
    const token = await service.token(workspaceId);
    const secret = token.slice('svc_live_'.length);
    const urls = [
      `/v1/audits?x=${token}`,
      `/v1/${token}`,
      `/${token}`,
      `/v1/audits/%zz${token}`,
      `/${token}/%zz`,
      `/docs?key=${token}`,
      `/dashboard/api/me?key=${token}`,
    ];
    for (const url of urls) {
      const answer = await ask(url, `Bearer ${token}`);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.text + JSON.stringify(answer.headers)).not.toContain(secret);
    }
    await service.request(token, '/v1/audits', {
      headers: { 'user-agent': `curl ${token}`, 'request-id': token, 'x-request-id': token, referer: token },
    });
    await service.request(token, '/v1/audits', {
      headers: { 'user-agent': `curl ${token.replaceAll('_', '%5F')}` },
    });
    const { rows } = await service.pool.query<{ doc: string }>('select doc from audit_log');
    expect(rows.filter(({ doc }) => doc.includes(secret))).toEqual([]);
    expect(service.log.filter((line) => line.includes(secret))).toEqual([]);
    expect(service.log.length).toBeGreaterThan(0);
  });
});

describe('a key that is revoked or rotated', () => {
  test.each(['live', 'test'] as const)(
    'is refused by every node at the next request, also by a node that has just used it: %s',
    async (mode) => {
      const other = await createTestService({ database: service.database });
      const { keyId, token } = await service.issue(workspaceId, { mode });
      for (const node of [service, other]) expect((await node.request(token, '/v1/audits')).status).toBe(200);
      const rotated = await service.keys.rotate(workspaceId, keyId, TEST_ACTOR);
      if (typeof rotated === 'string') throw new Error(rotated);
      for (const node of [service, other]) {
        expectFailure(await node.request(token, '/v1/audits'), 'invalid_key');
        expect((await node.request(rotated.token, '/v1/audits')).status).toBe(200);
      }
      await service.keys.revoke(workspaceId, keyId, TEST_ACTOR);
      for (const node of [service, other]) {
        const answer = await node.request(rotated.token, '/v1/audits');
        expectFailure(answer, 'invalid_key');
        expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
        for (const name of ['etag', 'cache-control']) expect(answer.headers).not.toHaveProperty(name);
      }
    },
  );

  test('is refused during a request that it began, and no data is shown', async () => {
    for (const mode of ['live', 'test'] as const) {
      const { keyId, token } = await service.issue(workspaceId, { mode });
      if (mode === 'live') expect((await service.request(token, '/v1/audits')).status).toBe(200);
      // Between its look-up and its audit entry, the request waits for a row that this transaction locks.
      const holder = await service.pool.connect();
      try {
        await holder.query('begin');
        await holder.query('lock table companies in access exclusive mode');
        const answer = service.request(token, '/v1/companies');
        await expect.poll(() => waitingForLocks(service.pool)).toBe(1);
        await service.keys.revoke(workspaceId, keyId, TEST_ACTOR);
        await holder.query('commit');
        expectFailure(await answer, 'invalid_key');
      } finally {
        holder.release();
      }
    }
  });
});
