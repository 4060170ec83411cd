import type { InjectOptions } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { newRequestEntries, requestEntries } from '../harness/entries.ts';
import { COMPANY } from '../harness/lists.ts';
import { waitingForLocks } from '../harness/locks.ts';
import { createTestService, type TestAnswer, type TestService } from '../harness/service.ts';
import { seedWorkspace } from '../harness/world.ts';

const AGENT = 'test/1.0 (contract)';

let service: TestService;
let workspaceId: string;
let live: { readonly keyId: string; readonly token: string };
beforeAll(async () => {
  service = await createTestService();
  workspaceId = await service.workspace();
  await seedWorkspace(service, workspaceId);
  live = await service.issue(workspaceId);
});

const newEntries = (work: () => Promise<unknown>) => newRequestEntries(service.pool, workspaceId, work);

interface Case {
  readonly what: string;
  readonly status: number;
  readonly url: string;
  readonly options?: InjectOptions;
  readonly limited?: boolean;
}

const CASES: readonly Case[] = [
  { what: 'a page', status: 200, url: '/v1/audits?limit=2&sort=score-ascending' },
  { what: 'a record', status: 200, url: '/v1/audits/aud_seed_0001' },
  { what: 'a count', status: 200, url: '/v1/audits/count?approximate=true' },
  { what: 'the audit log itself', status: 200, url: '/v1/audit-log' },
  { what: 'HEAD', status: 200, url: '/v1/companies', options: { method: 'HEAD' } },
  {
    what: 'a page that has not changed',
    status: 304,
    url: '/v1/audits',
    options: { headers: { 'if-none-match': '*' } },
  },
  { what: 'a bad parameter', status: 400, url: '/v1/audits?limit=0' },
  { what: 'a bad cursor', status: 400, url: '/v1/mentions?cursor=x' },
  { what: 'a path that cannot be decoded', status: 404, url: '/v1/%25zz' },
  {
    what: 'broken JSON',
    status: 400,
    url: '/v1/audits',
    options: { method: 'POST', payload: '{', headers: { 'content-type': 'application/json' } },
  },
  {
    what: 'another media type',
    status: 415,
    url: '/v1/audits',
    options: { method: 'POST', payload: '{', headers: { 'content-type': 'text/plain' } },
  },
  { what: 'a company that the key may not see', status: 403, url: '/v1/audit-log', limited: true },
  { what: 'an unknown path', status: 404, url: '/v1/nothing/at/all' },
  { what: 'a missing record', status: 404, url: '/v1/companies/no_such_company' },
  { what: 'a record with a long id', status: 404, url: `/v1/companies/${'x'.repeat(12_000)}` },
  { what: 'a method that is not there', status: 405, url: '/v1/api-keys', options: { method: 'DELETE' } },
];

describe('a request with a live key', () => {
  test.each(CASES)(
    'has one entry with all of its fields: $what ($status)',
    async ({ status, url, options = {}, limited = false }) => {
      const key = limited ? await service.issue(workspaceId, { companyId: COMPANY }) : live;
      let answer: TestAnswer | undefined;
      const entries = await newEntries(async () => {
        answer = await service.request(key.token, url, {
          ...options,
          headers: { 'user-agent': AGENT, ...options.headers },
        });
      });
      expect(answer?.status).toBe(status);
      expect(entries).toEqual([
        {
          id: expect.stringMatching(/^log_[0-9a-z]{26}$/),
          kind: 'api.request',
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
          keyId: key.keyId,
          actor: null,
          requestId: answer?.headers['request-id'],
          method: options.method ?? 'GET',
          path: url.split('?')[0]?.slice(0, 2048),
          status,
          durationMs: expect.any(Number),
          ip: '127.0.0.1',
          userAgent: AGENT,
        },
      ]);
    },
  );

  test('has an entry that the list and the single record show as it was written', async () => {
    const [entry] = await newEntries(() =>
      service.request(live.token, '/v1/audits', { headers: { 'user-agent': '"\\\u00e9' } }),
    );
    const reader = await service.token(workspaceId, { mode: 'test' });
    const list = await service.request(reader, '/v1/audit-log?kind=api.request&limit=1');
    expect(list.json<{ data: unknown[] }>().data).toEqual([entry]);
    expect((await service.request(reader, `/v1/audit-log/${entry?.id}`)).json()).toEqual(entry);
    expect(entry?.userAgent).toBe('"\\\u00e9');
  });

  test('has an entry without the token that its URL contains', async () => {
    const entries = await newEntries(async () => {
      for (const url of [`/v1/audits?key=${live.token}`, `/v1/audits/${live.token}`])
        expect((await service.request(live.token, url)).status).toBe(400);
    });
    expect(entries.map(({ status, path }) => [status, path])).toEqual([
      [400, '/v1/audits'],
      [400, '[removed: held an API key]'],
    ]);
    expect(JSON.stringify(entries)).not.toContain(live.token);
  });

  test('without a User-Agent has null for it, and one that is too long is cut', async () => {
    const entries = await newEntries(async () => {
      await service.request(live.token, '/v1/audits', { headers: { 'user-agent': undefined } });
      await service.request(live.token, '/v1/audits', { headers: { 'user-agent': 'x'.repeat(9_000) } });
    });
    expect(entries.map(({ userAgent }) => userAgent?.length ?? null)).toEqual([null, 2048]);
  });

  test('gets its response only after its entry is committed', async () => {
    const holder = await service.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select 1 from live_meters where workspace_id = $1 for update', [workspaceId]);
      let answered = false;
      const answer = service.request(live.token, '/v1/audits').then((result) => {
        answered = true;
        return result;
      });
      await expect.poll(() => waitingForLocks(service.pool)).toBe(1);
      expect(answered).toBe(false);
      const before = await requestEntries(service.pool, workspaceId);
      await holder.query('commit');
      expect((await answer).status).toBe(200);
      expect(await requestEntries(service.pool, workspaceId)).toHaveLength(before.length + 1);
    } finally {
      holder.release();
    }
  });
});

describe('no entry is written', () => {
  test.each(CASES.filter(({ limited }) => limited !== true))(
    'for a test key: $what',
    async ({ status, url, options }) => {
      const token = await service.token(workspaceId, { mode: 'test' });
      expect(
        await newEntries(async () =>
          expect((await service.request(token, url, options ?? {})).status).toBe(status),
        ),
      ).toEqual([]);
    },
  );

  test('for a request that did not authenticate, or that is not below /v1', async () => {
    const entries = await newEntries(async () => {
      await service.request(null, '/v1/audits');
      await service.request(`svc_live_${'a'.repeat(32)}`, '/v1/audits');
      await service.request(live.token, '/healthz');
      await service.request(live.token, '/nothing');
    });
    expect(entries).toEqual([]);
  });
});
