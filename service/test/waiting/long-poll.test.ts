import { connect } from 'node:net';
import { latencyBucket } from '@svc/latency-buckets';
import type { Change } from '@svc/sdk';
import { WAITS_PER_KEY_MAX } from '@svc/sdk/contract';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { createTestDashboard, type TestDashboard } from '../harness/dashboard.ts';
import { requestEntries } from '../harness/entries.ts';
import { createTestService, TEST_ACTOR, type TestAnswer, type TestService } from '../harness/service.ts';
import { listen, portOf } from '../harness/socket.ts';

interface Page {
  readonly data: readonly Change[];
  readonly pagination: { readonly position: string };
}

let service: TestService;
let dashboard: TestDashboard;
let workspaceId: string;
let key: { readonly keyId: string; readonly token: string };

beforeAll(async () => {
  service = await createTestService();
  dashboard = createTestDashboard(service);
  await listen(service);
});
beforeEach(async () => {
  workspaceId = await service.workspace();
  key = await service.issue(workspaceId, { access: 'write' });
});

const poll = (query: string, token = key.token, of = service): Promise<TestAnswer> =>
  of.request(token, `/v1/changes?${query}`);
/** Waits for changes after now, as a client with a position does. */
async function tail(token = key.token, filters = '', of = service): Promise<TestAnswer> {
  const { pagination } = (await poll('after=now', token)).json<Page>();
  return poll(`after=${pagination.position}&wait=30${filters}`, token, of);
}
const write = (id: string, token = key.token): Promise<TestAnswer> =>
  service.request(token, '/v1/companies', { method: 'POST', payload: { id, name: id } });
const idsOf = (answer: TestAnswer): readonly string[] => {
  expect(answer.status, answer.text).toBe(200);
  return answer.json<Page>().data.map(({ recordId }) => recordId);
};
/** Resolves once this number of requests wait for changes. */
const waiting = (count: number, { app } = service): Promise<void> =>
  expect
    .poll(async () => /^svc_waiting_requests (\d+)$/m.exec((await app.inject('/metrics')).body)?.[1])
    .toBe(String(count));
async function timed<T>(work: Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const started = performance.now();
  return { result: await work, ms: performance.now() - started };
}
const setQuota = (quota: number): Promise<unknown> =>
  service.pool.query('update live_meters set live_quota = $2 where workspace_id = $1', [workspaceId, quota]);
async function used(): Promise<number | undefined> {
  const { rows } = await service.pool.query<{ used: number }>(
    'select live_requests as used from live_meters where workspace_id = $1',
    [workspaceId],
  );
  return rows[0]?.used;
}
/** The entries of requests to the feed. */
const entries = async () =>
  (await requestEntries(service.pool, workspaceId)).filter(({ path }) => path === '/v1/changes');

describe('a request for changes with wait', () => {
  test('responds at once if there are changes after the position', async () => {
    const { pagination } = (await poll('after=now')).json<Page>();
    await write('com_a');
    expect(idsOf(await poll(`after=${pagination.position}&wait=30`))).toEqual(['com_a']);
  });

  test('responds as soon as a change is committed, and its position continues there', async () => {
    const first = tail();
    await waiting(1);
    const { result, ms } = await timed(write('com_a').then(() => first));
    expect(idsOf(result)).toEqual(['com_a']);
    expect(ms).toBeLessThan(2_000);
    const second = poll(`after=${result.json<Page>().pagination.position}&wait=30`);
    await waiting(1);
    await write('com_b');
    expect(idsOf(await second)).toEqual(['com_b']);
  });

  test('responds with an empty page and a position when the time is over', async () => {
    const { result, ms } = await timed(poll('after=now&wait=1'));
    expect(idsOf(result)).toEqual([]);
    expect(ms).toBeGreaterThan(900);
    await write('com_a');
    expect(idsOf(await poll(`after=${result.json<Page>().pagination.position}`))).toEqual(['com_a']);
  });

  test('responds when the time is over while changes that its filters leave out keep coming', async () => {
    let answer: TestAnswer | undefined;
    const waited = poll('after=now&wait=1&type=content.created').then((each) => (answer = each));
    for (let i = 0; answer === undefined && i < 5_000; i++) await write(`com_${i}`);
    expect(answer).toBe(await waited);
    expect(idsOf(await waited)).toEqual([]);
  });

  test('does not end for changes that its filters leave out', async () => {
    await write('com_a');
    const waited = tail(key.token, '&type=content.created');
    await waiting(1);
    await write('com_b');
    const content = { id: 'con_1', companyId: 'com_a', title: 'One' };
    await service.request(key.token, '/v1/content', { method: 'POST', payload: content });
    expect(idsOf(await waited)).toEqual(['con_1']);
  });

  test('does not end for changes of another company than that of its key', async () => {
    await Promise.all([write('com_a'), write('com_b')]);
    const limited = await service.token(workspaceId, { companyId: 'com_a' });
    const waited = tail(limited);
    await waiting(1);
    const patch = (id: string) =>
      service.request(key.token, `/v1/companies/${id}`, { method: 'PATCH', payload: { name: 'new' } });
    await patch('com_b');
    await patch('com_a');
    expect(idsOf(await waited)).toEqual(['com_a']);
  });

  test('has one audit entry with the whole time, uses one unit of quota, and its latency leaves the wait out', async () => {
    await setQuota(1_000);
    const before = (await used()) ?? 0;
    await poll('after=now&wait=1');
    const [entry, ...others] = await entries();
    expect(others).toEqual([]);
    expect(entry?.durationMs).toBeGreaterThan(900);
    expect(await used()).toBe(before + 1);
    const { rows } = await service.pool.query<{ bucket: number }>(
      `select latency_bucket as bucket from audit_log where workspace_id = $1 and path = '/v1/changes'`,
      [workspaceId],
    );
    expect(rows[0]?.bucket).toBeLessThan(latencyBucket(900));
  });

  test('is refused before it waits if the quota is used up on another node', async () => {
    const node = await createTestService({ database: service.database });
    await poll('after=now');
    await setQuota((await used()) ?? 0);
    const { result, ms } = await timed(poll('after=now&wait=30', key.token, node));
    expectFailure(result, 'quota_exceeded');
    expect(ms).toBeLessThan(5_000);
  });

  test('is refused before it waits if this node does not know yet that the key is revoked', async () => {
    await poll('after=now');
    await service.keys.revoke(workspaceId, key.keyId, TEST_ACTOR);
    const { result, ms } = await timed(poll('after=now&wait=30'));
    expectFailure(result, 'invalid_key');
    expect(ms).toBeLessThan(5_000);
  });

  test.each(['live', 'test'] as const)(
    'ends with 401 within a second after its %s key is revoked',
    async (mode) => {
      const owner = await dashboard.owner();
      const issued = await service.issue(owner.workspaceId, { mode });
      const waited = tail(issued.token);
      await waiting(1);
      const revoke = owner.send('POST', `/workspaces/${owner.workspaceId}/keys/${issued.keyId}/revoke`, {});
      const { result, ms } = await timed(revoke.then(() => waited));
      expectFailure(result, 'invalid_key');
      expect(ms).toBeLessThan(1_000);
    },
  );

  test('ends with 401 a few seconds after its key is revoked or rotated, if no signal arrives', async () => {
    const other = await service.issue(workspaceId);
    const waited = [tail(), tail(other.token)];
    await waiting(2);
    await service.keys.revoke(workspaceId, key.keyId, TEST_ACTOR);
    await service.keys.rotate(workspaceId, other.keyId, TEST_ACTOR);
    const { result, ms } = await timed(Promise.all(waited));
    for (const answer of result) expectFailure(answer, 'invalid_key');
    expect(ms).toBeLessThan(10_000);
  });

  test('continues if another key of the workspace is revoked', async () => {
    const owner = await dashboard.owner();
    const [kept, revoked] = await Promise.all([
      service.issue(owner.workspaceId, { access: 'write' }),
      service.issue(owner.workspaceId),
    ]);
    const waited = tail(kept.token, '&type=company.created');
    await waiting(1);
    await owner.send('POST', `/workspaces/${owner.workspaceId}/keys/${revoked.keyId}/revoke`, {});
    await write('com_a', kept.token);
    expect(idsOf(await waited)).toEqual(['com_a']);
  });

  test('whose client disconnects has one audit entry, and frees its place', async () => {
    const socket = connect(portOf(service.app.server), '127.0.0.1');
    socket.write(
      `GET /v1/changes?after=now&wait=30 HTTP/1.1\r\nHost: svc\r\nAuthorization: Bearer ${key.token}\r\n\r\n`,
    );
    await waiting(1);
    socket.destroy();
    await waiting(0);
    await expect.poll(entries).toHaveLength(1);
  });

  test('holds no database connection: many wait, and other requests do not', async () => {
    const keys = await Promise.all(Array.from({ length: 4 }, () => service.token(workspaceId)));
    const waited = keys.flatMap((token) => Array.from({ length: WAITS_PER_KEY_MAX }, () => tail(token)));
    await waiting(waited.length);
    // They count as waiting before their first read has ended.
    const busy = async (): Promise<number | null> => {
      const { rowCount } = await service.pool.query(
        `select from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
      );
      return rowCount;
    };
    await expect.poll(busy).toBe(0);
    await write('com_a');
    const answers = await Promise.all(waited);
    expect(new Set(answers.map((answer) => idsOf(answer).join()))).toEqual(new Set(['com_a']));
  });

  test('beyond the limit of its key gets 429, and other keys wait', async () => {
    const waited = Array.from({ length: WAITS_PER_KEY_MAX }, () => tail());
    await waiting(waited.length);
    const refused = await poll('after=now&wait=30');
    expectFailure(refused, 'rate_limited');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const other = tail(await service.token(workspaceId));
    await waiting(waited.length + 1);
    await write('com_a');
    for (const answer of await Promise.all([...waited, other])) expect(idsOf(answer)).toEqual(['com_a']);
  });

  test('ends with an empty page when the service shuts down', async () => {
    const node = await createTestService({ database: service.database });
    const waited = poll('after=now&wait=30', key.token, node);
    await waiting(1, node);
    const { result, ms } = await timed(node.app.close().then(() => waited));
    expect(idsOf(result)).toEqual([]);
    expect(ms).toBeLessThan(5_000);
    expect(await entries()).toHaveLength(1);
  });

  test.each(['after=now&wait=31', 'after=now&wait=-1', 'after=now&wait=1.5', 'after=now&wait=', 'wait=1'])(
    'is refused if its parameters are not valid: %s',
    async (query) => {
      expectFailure(await poll(query), 'invalid_parameter');
    },
  );
});
