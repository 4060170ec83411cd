import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import { createTestDashboard } from '../../../test/harness/dashboard.ts';
import { resourceNamed, seedRecords } from '../../../test/harness/records.ts';
import { createTestService } from '../../../test/harness/service.ts';
import { HOUR_MS } from '../../config/time.ts';
import { CONTENT_COUNTED_MAX } from '../limits.ts';
import type { Overview, Traffic } from '../wire.ts';

const service = await createTestService();
const dashboard = createTestDashboard(service);
const owner = await dashboard.owner();
const { workspaceId } = owner;
const viewer = await dashboard.member(workspaceId, 'viewer');
const overview = async (): Promise<Overview> =>
  (await viewer.send('GET', `/workspaces/${workspaceId}/overview`)).json<Overview>();
const traffic = async (range: string): Promise<Traffic> =>
  (await viewer.send('GET', `/workspaces/${workspaceId}/traffic?range=${range}`)).json<Traffic>();

describe('a new workspace', () => {
  test('has empty figures', async () => {
    expect(await overview()).toMatchObject({
      month: { used: 0, limit: null, forecast: 0 },
      begun: { key: false, records: false, request: false },
      counts: {},
      sentiments: { positive: 0, neutral: 0, negative: 0 },
      content: { draft: 0, in_review: 0, scheduled: 0, published: 0, archived: 0 },
    });
    expect((await traffic('24h')).total).toEqual({ live: 0, test: 0, errors: 0, p50: null, p95: null });
  });
});

describe('a workspace with traffic', () => {
  beforeAll(async () => {
    const live = await service.token(workspaceId);
    const sandbox = await service.token(workspaceId, { mode: 'test' });
    for (const url of ['/v1/audits', '/v1/audits', '/v1/nothing']) await service.request(live, url);
    await service.request(sandbox, '/v1/audits?limit=0');
    await service.pool.query(
      `insert into traffic (workspace_id, hour, mode, bucket, requests, errors)
       select $1, date_trunc('hour', now()) - hours * interval '1 hour', 'live', bucket, requests, 0
       from (values (2, 10, 90), (2, 31, 10), (26, 5, 50), (24 * 10, 5, 70)) as t (hours, bucket, requests)`,
      [workspaceId],
    );
  });

  test('shows live and test requests, failures and latencies per hour, up to the present one', async () => {
    const { step, spans, total, before } = await traffic('24h');
    expect(step).toBe('hour');
    expect(spans).toHaveLength(24);
    expect(spans.at(-1)).toMatchObject({ live: 3, test: 1, errors: 2 });
    expect(spans.at(-3)).toMatchObject({ live: 100, test: 0, errors: 0, p50: 10 });
    expect(spans.at(-3)?.p95).toBeGreaterThan(200);
    expect(spans.at(-2)).toMatchObject({ live: 0, p50: null, p95: null });
    expect(total).toMatchObject({ live: 103, test: 1, errors: 2 });
    expect(before).toEqual({ live: 50, test: 0, errors: 0 });
  });

  test('shows longer ranges per day, without losing a request', async () => {
    const { step, spans, total } = await traffic('30d');
    expect(step).toBe('day');
    expect(spans).toHaveLength(30);
    expect(total.live).toBe(3 + 100 + 50 + 70);
    expect(spans.reduce((sum, { live }) => sum + live, 0)).toBe(total.live);
    expectFailure(
      await viewer.send('GET', `/workspaces/${workspaceId}/traffic?range=2d`),
      'invalid_parameter',
      '"range" must be one of 24h, 7d',
    );
  });

  test('forecasts the month from the last seven days', async () => {
    const { month } = await overview();
    const hoursLeft = (Date.parse(month.endsAt) - Date.now()) / 3_600_000;
    // 153 requests in the last 26 hours. The 70 requests of ten days ago are too old.
    const expected = month.used + (153 / 26.5) * hoursLeft;
    expect(month.forecast).toBeGreaterThan(expected * 0.97 - 2);
    expect(month.forecast).toBeLessThan(expected * 1.03 + 2);
  });

  test('counts the newest sentiments and the content of each status', async () => {
    const createdAt = '2026-03-01T00:00:00Z';
    const seed = (name: string, rows: readonly object[]) =>
      seedRecords(
        service.pool,
        workspaceId,
        resourceNamed(name),
        rows.map((row, i) => ({ id: `${name}_${i}`, createdAt, companyId: 'companies_0', ...row })),
      );
    await seed('companies', [{}]);
    await seed('mentions', [{ sentiment: 'positive' }, { sentiment: 'positive' }, { sentiment: 'negative' }]);
    await seed('content', [{ status: 'draft' }, { status: 'draft' }, { status: 'archived' }]);
    const { sentiments, content, begun } = await overview();
    expect(sentiments).toEqual({ positive: 2, neutral: 0, negative: 1 });
    expect(content).toMatchObject({ draft: 2, archived: 1, published: 0 });
    expect(begun).toMatchObject({ key: true, request: true });
  });
});

test('steady traffic is the same in the range and in the same length of time before it', async () => {
  const steady = await dashboard.owner();
  const { now } = service.clock;
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  service.clock.now = hour + HOUR_MS / 4;
  // A quarter of an hour has passed of the present one.
  await service.pool.query(
    `insert into traffic (workspace_id, hour, mode, bucket, requests, errors)
     select $1, $2::timestamptz - hours * interval '1 hour', 'live', 5, case hours when 0 then 10 else 40 end,
       case hours when 0 then 1 else 4 end
     from generate_series(0, 24 * 60) as hours`,
    [steady.workspaceId, new Date(hour).toISOString()],
  );
  for (const range of ['24h', '7d', '30d']) {
    const url = `/workspaces/${steady.workspaceId}/traffic?range=${range}`;
    const { total, before } = (await steady.send('GET', url)).json<Traffic>();
    expect(before).toEqual({ live: total.live, test: 0, errors: total.errors });
  }
  service.clock.now = now;
});

test('the content of the status with the most items follows from the total, if no other has as many', async () => {
  const large = await dashboard.owner();
  const seed = async (status: string, rows: number) => {
    const createdAt = '2026-03-01T00:00:00Z';
    const items = Array.from({ length: rows }, (_, i) => ({ id: `${status}_${i}`, createdAt, status }));
    await seedRecords(service.pool, large.workspaceId, resourceNamed('content'), items);
    await service.pool.query(
      `insert into record_counts (workspace_id, resource, company_id, records) values ($1, 'content', '', $2)
       on conflict (workspace_id, resource, company_id) do update set records = record_counts.records + $2`,
      [large.workspaceId, rows],
    );
  };
  const content = async (): Promise<Overview['content']> =>
    (await large.send('GET', `/workspaces/${large.workspaceId}/overview`)).json<Overview>().content;
  const none = { draft: 0, in_review: 0, scheduled: 0, published: 0, archived: 0 };
  await seed('draft', CONTENT_COUNTED_MAX);
  expect(await content()).toEqual({ ...none, draft: CONTENT_COUNTED_MAX });
  await seed('published', CONTENT_COUNTED_MAX + 500);
  expect(await content()).toEqual({
    ...none,
    draft: CONTENT_COUNTED_MAX,
    published: CONTENT_COUNTED_MAX + 500,
  });
  await seed('archived', CONTENT_COUNTED_MAX + 1);
  const more = CONTENT_COUNTED_MAX + 1;
  expect(await content()).toEqual({ ...none, draft: CONTENT_COUNTED_MAX, published: more, archived: more });
});

test('only members can see the figures of a workspace', async () => {
  const stranger = await dashboard.owner();
  for (const path of ['overview', 'traffic']) {
    const url = `/workspaces/${workspaceId}/${path}`;
    expectFailure(await stranger.send('GET', url), 'not_found', 'There is no such workspace.');
    expectFailure(await dashboard.nobody.send('GET', url), 'not_signed_in');
  }
});
