import { beforeAll, expect, test } from 'vitest';
import { waitingForLocks } from '../../../test/harness/locks.ts';
import { losingPool } from '../../../test/harness/postgres/lost-commit.ts';
import { createTestService, type TestService } from '../../../test/harness/service.ts';
import { USAGE_ENTRIES_MAX, USAGE_READER_WAIT_MS, USAGE_WAITING_MAX } from '../../config/limits.ts';
import { lanesOver } from '../../database/lanes.ts';
import { insertEntries, newCounter, sumsOf, testRequest } from './usage-counter.fixture.ts';

let service: TestService;
beforeAll(async () => {
  service = await createTestService();
});

async function locked<T>(sql: string, workspaceId: string, work: () => Promise<T>): Promise<T> {
  const holder = await service.pool.connect();
  try {
    await holder.query('begin');
    const { rowCount } = await holder.query(sql, [workspaceId]);
    expect(rowCount).toBeGreaterThan(0);
    return await work();
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

/** Resolves when a statement of a counter waits for a lock. */
const untilWaiting = () => expect.poll(() => waitingForLocks(service.pool)).toBeGreaterThan(0);

const ask = (token: string, url = '/v1/audits') => service.request(token, url);

test('each entry is counted once, however many processes count at the same time', async () => {
  const workspaceId = await service.workspace();
  const token = await service.token(workspaceId);
  const counters = Array.from({ length: 4 }, () => newCounter(service).counter);
  for (let round = 0; round < 10; round++) {
    await Promise.all([
      ...Array.from({ length: 10 }, (_, i) => ask(token, i % 3 === 0 ? '/v1/nothing' : '/v1/audits')),
      ...counters.map((counter) => counter.catchUp(workspaceId)),
    ]);
  }
  await counters[0]?.catchUp(workspaceId);
  const { usage, traffic, entries } = await sumsOf(service, workspaceId);
  expect(entries).toBe('[100, 40]');
  expect([usage, traffic]).toEqual([entries, entries]);
});

test('requests are counted in the background, in every workspace with new entries, also those of a killed process', async () => {
  // One has more entries than a statement counts.
  const sizes = [300, 300, 300, USAGE_ENTRIES_MAX + 2_000];
  const workspaces = await Promise.all(sizes.map(async (size) => ({ size, id: await service.workspace() })));
  const { counter } = newCounter(service);
  for (const { id, size } of workspaces) {
    await insertEntries(service, id, size);
    const { rows } = await service.pool.query<{ later: string }>(
      `select last_entry_at + interval '1 second' as later from live_meters where workspace_id = $1`,
      [id],
    );
    await service.pool.query('update live_meters set last_entry_at = $2 where workspace_id = $1', [
      id,
      rows[0]?.later,
    ]);
  }
  for (const { id, size } of workspaces)
    await expect
      .poll(() => sumsOf(service, id))
      .toMatchObject({ usage: `[${size}, 0]`, traffic: `[${size}, 0]` });
  await counter.stop();
  for (const { id, size } of workspaces)
    expect(await sumsOf(service, id)).toMatchObject({ usage: `[${size}, 0]` });
});

test('an entry is counted in its own day and hour, and one that an earlier release has counted is not counted again', async () => {
  const workspaceId = await service.workspace();
  const { keyId } = await service.issue(workspaceId);
  await service.pool.query(
    `insert into audit_log (workspace_id, id, created_at, kind, key_id, doc, status, latency_bucket)
     select $1, 'log_' || n, date_trunc('month', now()) + n * interval '25 hours', 'api.request', $2, '{}', 404, nullif(n, 2)
     from generate_series(1, 3) n`,
    [workspaceId, keyId],
  );
  await newCounter(service).counter.catchUp(workspaceId);
  const { rows } = await service.pool.query(
    `select (select array_agg((u.day - m.month)::int order by u.day) from key_usage u where u.workspace_id = $1) as days,
       (select array_agg(extract(epoch from t.hour - m.month)::int / 3600 order by t.hour) from traffic t where t.workspace_id = $1) as hours,
       (select array_agg(t.bucket order by t.hour) from traffic t where t.workspace_id = $1) as buckets
     from (select date_trunc('month', now())::date as month) m`,
    [workspaceId],
  );
  expect(rows).toEqual([{ days: [1, 3], hours: [25, 75], buckets: [1, 3] }]);
});

test.each([
  ['its mark', 'select from usage_marks where workspace_id = $1 for update'],
  ['its usage', 'select from key_usage where workspace_id = $1 for update'],
  ['its traffic', 'select from traffic where workspace_id = $1 for update'],
])(
  'a workspace is counted later if another transaction locks %s, and delays no other and no reader for long',
  async (_, lock) => {
    const [busy, other] = [await service.workspace(), await service.workspace()];
    const [token, otherToken] = [await service.token(busy), await service.token(other)];
    const { counter } = newCounter(service);
    await ask(token);
    await counter.catchUp(busy);
    // The next request may belong to another bucket or hour.
    await service.pool.query(
      `insert into traffic select $1, date_trunc('hour', now()) + n * interval '1 hour', 'live', bucket, 0, 0
     from generate_series(0, 1) n, generate_series(0, 80) bucket on conflict do nothing`,
      [busy],
    );
    await locked(lock, busy, async () => {
      for (const each of [token, otherToken]) expect((await ask(each)).status).toBe(200);
      counter.addEntry(busy);
      counter.addEntry(other);
      const started = performance.now();
      await counter.catchUp(busy);
      expect(performance.now() - started).toBeLessThan(USAGE_READER_WAIT_MS + 2_000);
      await expect.poll(() => sumsOf(service, other)).toMatchObject({ usage: '[1, 0]' });
      expect(await sumsOf(service, busy)).toMatchObject({ usage: '[1, 0]', entries: '[2, 0]' });
    });
    await expect.poll(() => sumsOf(service, busy)).toMatchObject({ usage: '[2, 0]', traffic: '[2, 0]' });
    await counter.stop();
  },
);

test('requests with test keys are counted when the service stops, also if their workspace is being counted then', async () => {
  const workspaceId = await service.workspace();
  const { keyId } = await service.issue(workspaceId, { mode: 'test' });
  const { counter } = newCounter(service);
  for (let i = 0; i < 3; i++) counter.addTest(testRequest(workspaceId, keyId));
  const lock = 'select from usage_marks where workspace_id = $1 for update';
  const stopped = await locked(lock, workspaceId, async () => {
    const ended = counter.stop();
    await untilWaiting();
    expect(await sumsOf(service, workspaceId)).toMatchObject({ usage: '[0, 0]' });
    return { ended };
  });
  await stopped.ended;
  expect(await sumsOf(service, workspaceId)).toMatchObject({
    usage: '[3, 3]',
    traffic: '[0, 0]',
    entries: '[0, 0]',
  });
  const { rows } = await service.pool.query(
    `select mode, bucket, requests, errors from traffic where workspace_id = $1`,
    [workspaceId],
  );
  expect(rows).toEqual([{ mode: 'test', bucket: 7, requests: 3, errors: 3 }]);
});

test.each([
  ['before', 0],
  ['after', 3],
] as const)(
  'a connection that is lost %s the commit: test requests are never counted twice, and entries once',
  async (when, counted) => {
    const workspaceId = await service.workspace();
    const { keyId } = await service.issue(workspaceId, { mode: 'test' });
    const token = await service.token(workspaceId);
    expect((await ask(token)).status).toBe(200);
    const { pool, loseNext } = losingPool(service.database.url);
    const { counter } = newCounter(service, lanesOver(pool));
    for (let i = 0; i < 3; i++) counter.addTest(testRequest(workspaceId, keyId));
    loseNext(when, 'insert into key_usage');
    await counter.catchUp(workspaceId);
    await counter.catchUp(workspaceId);
    await counter.stop();
    expect(await sumsOf(service, workspaceId)).toMatchObject({
      usage: `[${1 + counted}, ${counted}]`,
      traffic: '[1, 0]',
    });
  },
);

test('test requests are not counted while the most workspaces wait, and entries are found later', async () => {
  const workspaceId = await service.workspace();
  const { keyId } = await service.issue(workspaceId, { mode: 'test' });
  expect((await ask(await service.token(workspaceId))).status).toBe(200);
  const { counter } = newCounter(service);
  for (let n = 0; n < USAGE_WAITING_MAX; n++) counter.addEntry(`wks_${n}`);
  counter.addTest(testRequest(workspaceId, keyId));
  await expect.poll(() => sumsOf(service, workspaceId)).toMatchObject({ usage: '[1, 0]', traffic: '[1, 0]' });
  await counter.stop();
  expect(await sumsOf(service, workspaceId)).toMatchObject({ usage: '[1, 0]', traffic: '[1, 0]' });
});

test('the sums of test requests have a limit, of which one workspace has half', async () => {
  const [many, other] = [await service.workspace(), await service.workspace()];
  const { counter } = newCounter(service);
  for (let n = 0; n < USAGE_WAITING_MAX; n++) counter.addTest(testRequest(many, `key_${n}`));
  counter.addTest(testRequest(other, 'key'));
  counter.addTest(testRequest(many, 'key_1'));
  await counter.stop();
  expect(await sumsOf(service, many)).toMatchObject({
    usage: `[${USAGE_WAITING_MAX / 2 + 1}, ${USAGE_WAITING_MAX / 2 + 1}]`,
  });
  expect(await sumsOf(service, other)).toMatchObject({ usage: '[1, 1]' });
});
