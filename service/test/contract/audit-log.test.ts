import type { AuditLogEntry } from '@svc/sdk';
import type { InjectOptions } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeRequests } from '../../src/audit-log/write.ts';
import { createKeyStore } from '../../src/keys/store.ts';
import { COMPANY } from '../harness/lists.ts';
import { createTestService, TEST_SECRET, type TestAnswer, type TestService } from '../harness/service.ts';
import { seedWorkspace } from '../harness/world.ts';

const ACTOR = 'owner@example.com';
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

/** Entries of requests, oldest first. */
async function requestEntries(of = workspaceId): Promise<readonly AuditLogEntry[]> {
  const { rows } = await service.pool.query<{ entry: AuditLogEntry }>(
    `select doc::json as entry from audit_log
     where workspace_id = $1 and kind = 'api.request' and created_at > '2026-04-01' order by created_at, id`,
    [of],
  );
  return rows.map(({ entry }) => entry);
}

/** Statements that wait for a lock just now. */
const waitingForLocks = async () => {
  const { rows } = await service.pool.query<{ waiting: number }>(
    `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.waiting;
};

async function newEntries(work: () => Promise<unknown>): Promise<readonly AuditLogEntry[]> {
  const before = await requestEntries();
  await work();
  return (await requestEntries()).slice(before.length);
}

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
    options: { method: 'PUT', payload: '{', headers: { 'content-type': 'application/json' } },
  },
  {
    what: 'another media type',
    status: 415,
    url: '/v1/audits',
    options: { method: 'PUT', payload: '{', headers: { 'content-type': 'text/plain' } },
  },
  { what: 'a company that the key may not see', status: 403, url: '/v1/audit-log', limited: true },
  { what: 'an unknown path', status: 404, url: '/v1/nothing/at/all' },
  { what: 'a missing record', status: 404, url: '/v1/companies/no_such_company' },
  { what: 'a record with a long id', status: 404, url: `/v1/companies/${'x'.repeat(12_000)}` },
  { what: 'a method that is not there', status: 405, url: '/v1/api-keys', options: { method: 'DELETE' } },
];

describe('a request with a live key', () => {
  test.each(CASES)(
    'makes one entry with all that happened: $what ($status)',
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

  test('makes an entry that the list and the single record show as it was written', async () => {
    const [entry] = await newEntries(() =>
      service.request(live.token, '/v1/audits', { headers: { 'user-agent': '"\\\u00e9' } }),
    );
    const reader = await service.token(workspaceId, { mode: 'test' });
    const list = await service.request(reader, '/v1/audit-log?kind=api.request&limit=1');
    expect(list.json<{ data: unknown[] }>().data).toEqual([entry]);
    expect((await service.request(reader, `/v1/audit-log/${entry?.id}`)).json()).toEqual(entry);
    expect(entry?.userAgent).toBe('"\\\u00e9');
  });

  test('without a User-Agent has null for it, and one that is too long is cut', async () => {
    const entries = await newEntries(async () => {
      await service.request(live.token, '/v1/audits', { headers: { 'user-agent': undefined } });
      await service.request(live.token, '/v1/audits', { headers: { 'user-agent': 'x'.repeat(9_000) } });
    });
    expect(entries.map(({ userAgent }) => userAgent?.length ?? null)).toEqual([null, 2048]);
  });

  test('is answered only when its entry is committed', async () => {
    const holder = await service.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select 1 from live_meters where workspace_id = $1 for update', [workspaceId]);
      let answered = false;
      const answer = service.request(live.token, '/v1/audits').then((result) => {
        answered = true;
        return result;
      });
      await expect.poll(waitingForLocks).toBe(1);
      expect(answered).toBe(false);
      const before = await requestEntries();
      await holder.query('commit');
      expect((await answer).status).toBe(200);
      expect(await requestEntries()).toHaveLength(before.length + 1);
    } finally {
      holder.release();
    }
  });
});

describe('no entry is made', () => {
  test.each(CASES.filter(({ limited }) => limited !== true))(
    'by a test key: $what',
    async ({ status, url, options }) => {
      const token = await service.token(workspaceId, { mode: 'test' });
      expect(
        await newEntries(async () =>
          expect((await service.request(token, url, options ?? {})).status).toBe(status),
        ),
      ).toEqual([]);
    },
  );

  test('by a request that did not authenticate, nor by one outside the interface', async () => {
    const entries = await newEntries(async () => {
      await service.request(null, '/v1/audits');
      await service.request(`svc_live_${'a'.repeat(32)}`, '/v1/audits');
      await service.request(live.token, '/healthz');
      await service.request(live.token, '/nothing');
      await service.request(live.token, `/v1/audits?key=${live.token}`);
    });
    expect(entries).toEqual([]);
  });
});

describe('many requests at once', () => {
  const REQUESTS = 120;

  test('over two nodes make an entry each, with a createdAt that strictly rises', async () => {
    const other = await createTestService({ database: service.database });
    const entries = await newEntries(() =>
      Promise.all(
        Array.from({ length: REQUESTS }, (_, i) =>
          (i % 2 === 0 ? service : other).request(live.token, '/v1/audits', {
            headers: { 'request-id': `r${i}` },
          }),
        ),
      ),
    );
    expect(new Set(entries.map(({ requestId }) => requestId)).size).toBe(REQUESTS);
    const times = entries.map(({ createdAt }) => createdAt);
    expect(new Set(times).size).toBe(REQUESTS);
    expect(times).toEqual(times.toSorted());
  });

  test('of several workspaces each land in their own log', async () => {
    const workspaces = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const id = await service.workspace();
        return { id, token: await service.token(id) };
      }),
    );
    const answers = await Promise.all(
      workspaces.flatMap(({ id, token }) =>
        Array.from({ length: 10 }, (_, i) =>
          service.request(token, '/v1/audits', { headers: { 'request-id': `${id}-${i}` } }),
        ),
      ),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    for (const { id } of workspaces) {
      const ids = (await requestEntries(id)).map(({ requestId }) => requestId);
      expect(ids.toSorted()).toEqual(Array.from({ length: 10 }, (_, i) => `${id}-${i}`));
    }
  });

  test('among which some keys have been revoked: no entry is later than the clock of the log', async () => {
    const revoked = await service.issue(workspaceId);
    await createKeyStore(service.pool, [TEST_SECRET]).revoke(workspaceId, revoked.keyId, ACTOR);
    const request = (keyId: string) => ({
      workspaceId,
      keyId,
      tokenVersion: 1,
      entry: { kind: 'api.request', keyId, actor: null } as const,
      counted: true,
      failed: false,
    });
    const outcomes = await writeRequests(service.pool, workspaceId, [
      ...Array.from({ length: 9 }, () => request(revoked.keyId)),
      request(live.keyId),
      request(revoked.keyId),
      request(live.keyId),
    ]);
    expect(outcomes.map(({ result }) => result)).toEqual([
      ...Array.from({ length: 9 }, () => 'invalid_key'),
      'recorded',
      'invalid_key',
      'recorded',
    ]);
    const { rows } = await service.pool.query(
      `select (select max(created_at) from audit_log where workspace_id = $1 and created_at < '2099-01-01') <= last_entry_at as ordered
       from live_meters where workspace_id = $1`,
      [workspaceId],
    );
    expect(rows).toEqual([{ ordered: true }]);
  });
});

test('a key that is revoked while its first request is being recorded: neither waits for the other', async () => {
  const { keyId, token } = await service.issue(workspaceId);
  const holder = await service.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select 1 from live_meters where workspace_id = $1 for update', [workspaceId]);
    const answer = service.request(token, '/v1/audits');
    await expect.poll(waitingForLocks).toBe(1);
    const revoked = createKeyStore(service.pool, [TEST_SECRET]).revoke(workspaceId, keyId, ACTOR);
    await expect.poll(waitingForLocks).toBe(2);
    await holder.query('commit');
    expect((await answer).status).toBe(200);
    expect(await revoked).toMatchObject({ id: keyId });
  } finally {
    holder.release();
  }
});

describe('the usage of a key', () => {
  const usageOf = async (keyId: string) => {
    const { rows } = await service.pool.query<{ requests: number; errors: number }>(
      'select requests, errors from key_usage where workspace_id = $1 and key_id = $2 and day = now()::date',
      [workspaceId, keyId],
    );
    return rows;
  };

  test.each(['live', 'test'] as const)(
    'is counted per day, with its errors, and dates it to the minute: %s',
    async (mode) => {
      const { keyId, token } = await service.issue(workspaceId, { mode });
      expect(await usageOf(keyId)).toEqual([]);
      const shown = async () =>
        (await service.request(live.token, `/v1/api-keys/${keyId}`)).json<{ lastUsedAt: string | null }>()
          .lastUsedAt;
      expect(await shown()).toBeNull();
      const urls = ['/v1/audits', '/v1/audits?limit=0', '/v1/companies', '/v1/nothing'];
      await Promise.all(urls.map((url) => service.request(token, url)));
      await service.request(token, '/v1/audits', { headers: { 'if-none-match': '*' } });
      expect(await usageOf(keyId)).toEqual([{ requests: 5, errors: 2 }]);
      const lastUsedAt = await shown();
      expect(lastUsedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/);
      expect(Math.abs(Date.now() - Date.parse(lastUsedAt ?? ''))).toBeLessThan(2 * 60_000);
    },
  );
});
