import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { statementsOf } from '../harness/database.ts';
import { createTestService, type TestAnswer, type TestService } from '../harness/service.ts';

const REQUESTS = 100;

let service: TestService;
let node: TestService;
let workspaceId: string;
let live: string;
let sandbox: string;
beforeAll(async () => {
  service = await createTestService();
  node = await createTestService({ database: service.database, clock: service.clock });
});
beforeEach(async () => {
  workspaceId = await service.workspace();
  live = await service.token(workspaceId);
  sandbox = await service.token(workspaceId, { mode: 'test' });
});

const setQuota = (quota: number | null) =>
  service.pool.query('update live_meters set live_quota = $2 where workspace_id = $1', [workspaceId, quota]);
const used = async () => {
  const { rows } = await service.pool.query<{ live_requests: number }>(
    'select live_requests from live_meters where workspace_id = $1',
    [workspaceId],
  );
  return rows[0]?.live_requests;
};
const ask = (token = live, of = service, url = '/v1/companies') => of.request(token, url);
const many = (count: number, token = live) =>
  Promise.all(Array.from({ length: count }, (_, i) => ask(token, i % 2 === 0 ? service : node)));
/** How many answers are 200. All others must be 429. */
const passed = (answers: readonly TestAnswer[]): number => {
  expect(answers.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
  return answers.filter(({ status }) => status === 200).length;
};

/** The time from now to the first of next month, UTC. */
const untilNextMonth = () => {
  const now = new Date(service.clock.now);
  return Math.ceil((Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - service.clock.now) / 1000);
};
const monthSeconds = () => {
  const now = new Date(service.clock.now);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0)).getUTCDate() * 24 * 60 * 60;
};

describe('the live quota', () => {
  test.each([0, 1, 37, 99, 100])(
    'of %i is exact with 100 concurrent requests over two nodes',
    async (quota) => {
      await setQuota(quota);
      const answers = await many(REQUESTS);
      expect(passed(answers)).toBe(quota);
      expect(await used()).toBe(quota);
      for (const answer of answers.filter(({ status }) => status === 429)) {
        expectFailure(answer, 'quota_exceeded');
        expect(Number(answer.headers['retry-after'])).toBe(untilNextMonth());
      }
      const { rows } = await service.pool.query(
        `select count(*)::int as entries, count(distinct created_at)::int as times,
        count(*) filter (where (doc::json->>'status')::int = 429)::int as refused
       from audit_log where workspace_id = $1 and kind = 'api.request'`,
        [workspaceId],
      );
      expect(rows).toEqual([{ entries: REQUESTS, times: REQUESTS, refused: REQUESTS - quota }]);
    },
  );

  test('counts every live request with any status, except those that a limit refused', async () => {
    await setQuota(4);
    const urls = ['/v1/audits', '/v1/audits?limit=0', '/v1/nothing', '/v1/companies/none'];
    const statuses = [];
    for (const url of [...urls, '/v1/audits', '/v1/audits?limit=0'])
      statuses.push((await ask(live, service, url)).status);
    expect(statuses).toEqual([200, 400, 404, 404, 429, 429]);
    expect(await used()).toBe(4);
  });

  test('returns no data once it is used up', async () => {
    await setQuota(0);
    for (const _ of [1, 2]) {
      const answer = await ask(live, service, '/v1/api-keys');
      expectFailure(answer, 'quota_exceeded');
      expect(answer.headers).not.toHaveProperty('etag');
    }
  });

  test('never blocks and never counts a test key', async () => {
    await setQuota(1);
    expect(passed(await many(10, sandbox))).toBe(10);
    expect(await used()).toBe(0);
    expect(passed(await many(5))).toBe(1);
    expect(passed(await many(10, sandbox))).toBe(10);
    expect((await ask(sandbox)).headers).toMatchObject({
      ratelimit: expect.stringContaining('"quota";r=0;'),
    });
    expect(await used()).toBe(1);
  });

  test('starts again with the month', async () => {
    await setQuota(3);
    expect(passed(await many(5))).toBe(3);
    await service.pool.query(
      `update live_meters set month = (date_trunc('month', now()) - interval '1 month')::date where workspace_id = $1`,
      [workspaceId],
    );
    expect(passed(await many(5))).toBe(3);
    expect(await used()).toBe(3);
  });

  test('refuses a write before its work once it is used up, on each node that knows it', async () => {
    await setQuota(1);
    const { token } = await service.issue(workspaceId, { access: 'write' });
    expect((await ask(token)).status).toBe(200);
    const writesOf = async (of: TestService): Promise<number> => {
      const statements = await statementsOf(async () => {
        const options = { method: 'POST', payload: { name: 'Acme' } } as const;
        expectFailure(await of.request(token, '/v1/companies', options), 'quota_exceeded');
      });
      return statements.filter((statement) => statement.includes('update workspace_clocks')).length;
    };
    expect(await writesOf(service)).toBe(0);
    expect([await writesOf(node), await writesOf(node)]).toEqual([1, 0]);
  });

  test('is not reset by a request that waited from the old month into the new one', async () => {
    await setQuota(10);
    await service.pool.query(
      `update live_meters set live_requests = 8, month = (date_trunc('month', now()) + interval '1 month')::date where workspace_id = $1`,
      [workspaceId],
    );
    expect(passed(await many(5))).toBe(2);
    expect(await used()).toBe(10);
    expect(passed(await many(2))).toBe(0);
  });

  test('can be raised, lowered below what is used, and removed, each from the next request on', async () => {
    await setQuota(2);
    expect(passed(await many(4))).toBe(2);
    await setQuota(5);
    expect(passed(await many(4))).toBe(3);
    await setQuota(1);
    expect(passed(await many(4))).toBe(0);
    expect((await ask()).headers['ratelimit']).toMatch(/"quota";r=0;/);
    await setQuota(null);
    const answer = await ask();
    expect(answer.status).toBe(200);
    for (const name of ['ratelimit', 'ratelimit-policy', 'retry-after'])
      expect(answer.headers).not.toHaveProperty(name);
    await many(4);
    expect(await used()).toBe(10);
    await setQuota(11);
    expect(passed(await many(4))).toBe(1);
  });

  test('is in RateLimit and RateLimit-Policy of each response, as in the IETF draft', async () => {
    await setQuota(3);
    const policy = `"quota";q=3;w=${monthSeconds()}`;
    for (const left of [2, 1, 0, 0, 0]) {
      const { headers } = await ask();
      expect(headers['ratelimit-policy']).toBe(policy);
      expect(headers['ratelimit']).toBe(`"quota";r=${left};t=${untilNextMonth()}`);
    }
  });

  test('belongs to one workspace only', async () => {
    await setQuota(0);
    const other = await service.token(await service.workspace());
    expect(passed(await many(4, other))).toBe(4);
    expect(passed(await many(4))).toBe(0);
  });
});

describe('the burst limit', () => {
  const setBurst = (limit: number | null) =>
    service.pool.query('update workspaces set burst_limit = $2 where id = $1', [workspaceId, limit]);

  test.each(['live', 'test'] as const)(
    'refuses further requests of one key in a second, and of no other key: %s',
    async (mode) => {
      await setBurst(3);
      const token = await service.token(workspaceId, { mode });
      const answers = [];
      for (let i = 0; i < 5; i++) answers.push(await ask(token));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
      expect(answers.map(({ headers }) => headers['ratelimit'])).toEqual(
        [2, 1, 0, 0, 0].map((left) => `"burst";r=${left};t=1`),
      );
      const [first, , , refused] = answers;
      expect(first?.headers['ratelimit-policy']).toBe('"burst";q=3;w=1');
      if (refused === undefined) throw new Error('nothing was refused');
      expectFailure(refused, 'rate_limited', '3 requests a second');
      expect(refused.headers['retry-after']).toBe('1');
      expect((await ask(await service.token(workspaceId, { mode }))).status).toBe(200);
      service.clock.now += 1000;
      expect((await ask(token)).status).toBe(200);
    },
  );

  test('is audited, and uses no quota', async () => {
    await setBurst(1);
    await setQuota(5);
    const answers = [await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toEqual([200, 429]);
    expect(answers[1]?.headers['ratelimit-policy']).toBe(`"quota";q=5;w=${monthSeconds()}, "burst";q=1;w=1`);
    expect(await used()).toBe(1);
    const { rows } = await service.pool.query(
      `select doc::json->'status' as status from audit_log where workspace_id = $1 and kind = 'api.request' order by created_at`,
      [workspaceId],
    );
    expect(rows).toEqual([{ status: 200 }, { status: 429 }]);
    service.clock.now += 1000;
  });
});
