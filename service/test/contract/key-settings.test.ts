import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { createTestService, TEST_ACTOR, type TestService } from '../harness/service.ts';

let service: TestService;
let node: TestService;
let workspaceId: string;
beforeAll(async () => {
  service = await createTestService();
  node = await createTestService({ database: service.database, clock: service.clock });
});
beforeEach(async () => {
  workspaceId = await service.workspace();
});

type NewKey = NonNullable<Parameters<TestService['issue']>[1]>;

const MODES = ['live', 'test'] as const;
const COMPANIES = '/v1/companies';
const issue = (key: NewKey) => service.issue(workspaceId, { access: 'write', ...key });
/** Both nodes know the key after this. */
async function used(key: NewKey) {
  const issued = await issue(key);
  for (const each of [service, node]) expect((await each.request(issued.token, COMPANIES)).status).toBe(200);
  return issued;
}
/** The clock of the database decides, so the key expires without a wait. */
const expireNow = (keyId: string) =>
  service.pool.query(
    'update api_keys set expires_at = statement_timestamp() where workspace_id = $1 and id = $2',
    [workspaceId, keyId],
  );
const soon = async (ms: number): Promise<string> => {
  const { rows } = await service.pool.query<{ at: string }>(
    `select to_char((clock_timestamp() + $1 * interval '1 ms') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`,
    [ms],
  );
  return rows[0]?.at ?? '';
};
const entries = async () =>
  (
    await service.pool.query<{ status: number; key_id: string }>(
      "select status, key_id from audit_log where workspace_id = $1 and kind = 'api.request' order by created_at",
      [workspaceId],
    )
  ).rows;

describe.each(MODES)('a key (%s) that has expired', (mode) => {
  test('is refused by every node in the next request: reads, writes, long polls and streams', async () => {
    const { keyId, token } = await used({ mode });
    await expireNow(keyId);
    for (const each of [node, service]) {
      expectFailure(await each.request(token, COMPANIES), 'invalid_key');
      const create = { method: 'POST', payload: { name: 'late' } } as const;
      expectFailure(await each.request(token, COMPANIES, create), 'invalid_key');
      expectFailure(await each.request(token, '/v1/changes?after=now&wait=20'), 'invalid_key');
    }
    const { rows } = await service.pool.query('select 1 from companies where workspace_id = $1', [
      workspaceId,
    ]);
    expect(rows).toEqual([]);
  });

  test('ends a long poll that waits', async () => {
    const { token } = await issue({ mode, expiresAt: await soon(700) });
    const started = performance.now();
    expectFailure(await service.request(token, '/v1/changes?after=now&wait=30'), 'invalid_key');
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  test('ends a stream, also if the expiry date is set after the request', async () => {
    const { keyId, token } = await issue({ mode });
    const stream = service.request(token, '/v1/changes/stream?after=now');
    await service.keys.change(workspaceId, keyId, { expiresAt: await soon(500) }, TEST_ACTOR);
    const { text } = await stream;
    expect(text).toContain('"code":"invalid_key"');
  });
});

test.each(MODES)(
  'a paused key (%s) is refused by every node at once, and accepted when it is resumed',
  async (mode) => {
    const { keyId, token } = await used({ mode });
    await service.keys.setPaused(workspaceId, keyId, true, TEST_ACTOR);
    for (const each of [node, service]) expectFailure(await each.request(token, COMPANIES), 'invalid_key');
    await service.keys.setPaused(workspaceId, keyId, false, TEST_ACTOR);
    for (const each of [node, service]) expect((await each.request(token, COMPANIES)).status).toBe(200);
  },
);

describe('a key with allowed networks', () => {
  const from = (token: string, remoteAddress: string, of = service) =>
    of.request(token, COMPANIES, { remoteAddress });

  test.each([
    ['203.0.113.0/24', '203.0.113.9', '203.0.114.1'],
    ['203.0.113.7/32', '::ffff:203.0.113.7', '::ffff:203.0.113.8'],
    ['2001:db8::/32', '2001:db8:1::1', '2001:db9::1'],
    ['::ffff:0:0/96', '198.51.100.1', '2001:db8::1'],
  ])('that allows %s accepts %s and refuses %s', async (range, inside, outside) => {
    const { token } = await issue({ allowedNetworks: ['192.0.2.1/32', range] });
    expect((await from(token, inside)).status).toBe(200);
    expectFailure(await from(token, outside), 'network_not_allowed');
  });

  test.each(['192.0.2.1', '::ffff:192.0.2.1', '2001:db8::1'])(
    'that allows all of IPv4 and IPv6 accepts %s, and with all of IPv6 the family decides',
    async (address) => {
      const all = await issue({ allowedNetworks: ['0.0.0.0/0', '::/0'] });
      expect((await from(all.token, address)).status).toBe(200);
      const half = await issue({ allowedNetworks: ['::/0', '203.0.113.0/24'] });
      const { status } = await from(half.token, address);
      expect(status).toBe(address === '2001:db8::1' ? 200 : 403);
    },
  );

  test('uses no quota and no burst limit for a refused request, and logs it with its address', async () => {
    const { keyId, token } = await issue({ allowedNetworks: ['192.0.2.0/24'], burstLimit: 1 });
    await service.pool.query('update live_meters set live_quota = 9 where workspace_id = $1', [workspaceId]);
    for (let request = 0; request < 3; request++) {
      const refused = await from(token, '203.0.113.7');
      expectFailure(refused, 'network_not_allowed');
      expect(Object.keys(refused.headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
    }
    expect((await from(token, '192.0.2.7')).status).toBe(200);
    expect(await entries()).toEqual([403, 403, 403, 200].map((status) => ({ status, key_id: keyId })));
    const { rows } = await service.pool.query(
      'select live_requests from live_meters where workspace_id = $1',
      [workspaceId],
    );
    expect(rows).toEqual([{ live_requests: 1 }]);
  });

  test('is used from the address that the trusted proxy names', async () => {
    const behind = await createTestService({ database: service.database, trustProxy: 1 });
    const { token } = await issue({ allowedNetworks: ['192.0.2.0/24'] });
    const via = (forwarded: string) =>
      behind.request(token, COMPANIES, { headers: { 'x-forwarded-for': forwarded } });
    expect((await via('203.0.113.7, 192.0.2.7')).status).toBe(200);
    expectFailure(await via('192.0.2.7, 203.0.113.7'), 'network_not_allowed');
    expectFailure(await via('unknown'), 'network_not_allowed');
    // Without the proxy, a client cannot name its own address.
    expectFailure(
      await service.request(token, COMPANIES, { headers: { 'x-forwarded-for': '192.0.2.7' } }),
      'network_not_allowed',
    );
  });

  test('is used with its changed settings after the clock of a node is set back', async () => {
    const clock = { now: Date.now() };
    const wrong = await createTestService({ database: service.database, clock });
    const { keyId, token } = await issue({});
    expect((await from(token, '203.0.113.7', wrong)).status).toBe(200);
    await service.keys.change(workspaceId, keyId, { allowedNetworks: ['192.0.2.0/24'] }, TEST_ACTOR);
    clock.now -= 60 * 60 * 1000;
    expectFailure(await from(token, '203.0.113.7', wrong), 'network_not_allowed');
  });

  test('writes a bounded number of entries for a client that may not use it', async () => {
    const strict = await createTestService({ database: service.database, failedAuthPerMinute: 3 });
    const { token } = await issue({ allowedNetworks: ['192.0.2.0/24'] });
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async () => (await from(token, '203.0.113.7', strict)).status),
    );
    expect(statuses.filter((status) => status === 403)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(7);
    expect(await entries()).toHaveLength(3);
    expect((await from(token, '192.0.2.7', strict)).status).toBe(200);
  });
});

test('the burst limit of a key applies in addition to that of the workspace: the lower one', async () => {
  const limitOf = async (token: string) =>
    (await service.request(token, '/v1/me')).json<{ limits: { burst: number | null } }>().limits.burst;
  const [own, high, none] = [
    await issue({ burstLimit: 2, mode: 'test' }),
    await issue({ burstLimit: 70, mode: 'test' }),
    await issue({ mode: 'test' }),
  ];
  expect(await limitOf(own.token)).toBe(2);
  await service.pool.query('update workspaces set burst_limit = 50 where id = $1', [workspaceId]);
  expect(await limitOf(high.token)).toBe(50);
  expect(await limitOf(none.token)).toBe(50);
  service.clock.now += 2_000;
  const answers = await Promise.all(
    Array.from({ length: 5 }, async () => (await service.request(own.token, COMPANIES)).status),
  );
  expect(answers.filter((status) => status === 200)).toHaveLength(2);
});
