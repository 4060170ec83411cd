import type { Socket } from 'node:net';
import type { AuditLogEntry, ListEnvelope } from '@svc/sdk';
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { createTestDashboard, type Visitor } from '../../../test/harness/dashboard.ts';
import { statementsOf } from '../../../test/harness/database.ts';
import { urlOf, walk } from '../../../test/harness/lists.ts';
import { resourceNamed, type SeedRow, seedRecords } from '../../../test/harness/records.ts';
import { createTestService, TEST_ACTOR } from '../../../test/harness/service.ts';
import { appendEvent } from '../../audit-log/append-event.ts';
import { SEARCHED_ROWS_MAX } from '../../config/limits.ts';
import { inTransaction } from '../../database/pool.ts';

const service = await createTestService();
const dashboard = createTestDashboard(service);
const owner = await dashboard.owner();
const log = `/workspaces/${owner.workspaceId}/log`;

const ENTRIES = 2 * SEARCHED_ROWS_MAX + 2_000;
const STARTS_MS = Date.UTC(2026, 2, 1);
const timeOf = (index: number): string => new Date(STARTS_MS + index * 1000).toISOString();
const entryOf = (index: number, ip: string): SeedRow => ({
  id: `log_seed_${String(index).padStart(6, '0')}`,
  createdAt: timeOf(index),
  kind: 'api.request',
  actor: null,
  requestId: `req_${index}`,
  ip,
});
/** Around the ends of the first and second search from each end of the log, and at the ends of the log. */
const RARE = [
  0,
  1,
  ENTRIES - 2 * SEARCHED_ROWS_MAX - 1,
  ENTRIES - 2 * SEARCHED_ROWS_MAX,
  SEARCHED_ROWS_MAX - 1,
  SEARCHED_ROWS_MAX,
  ENTRIES - SEARCHED_ROWS_MAX - 1,
  ENTRIES - SEARCHED_ROWS_MAX,
  2 * SEARCHED_ROWS_MAX - 1,
  2 * SEARCHED_ROWS_MAX,
  ENTRIES - 1,
];
const RARE_IP = '198.51.100.7';
const COMMON_IP = '203.0.113.7';
const rows = Array.from({ length: ENTRIES }, (_, i) => entryOf(i, RARE.includes(i) ? RARE_IP : COMMON_IP));
const seed = (more: readonly SeedRow[]) =>
  seedRecords(service.pool, owner.workspaceId, resourceNamed('audit-log'), more);
await seed(rows);
const RANGE = { from: timeOf(0), to: '2026-03-31T00:00:00Z' } as const;
const RARE_IDS = rows.filter(({ ip }) => ip === RARE_IP).map(({ id }) => id);

type Params = Readonly<Record<string, string | number | undefined>>;
type LogPage = ListEnvelope<AuditLogEntry>;
const list = (params: Params) => owner.send('GET', urlOf(log, { ...RANGE, ...params }));
const page = async (params: Params): Promise<LogPage> => (await list(params)).json();
const idsOf = (pages: readonly LogPage[]) => pages.flatMap(({ data }) => data.map(({ id }) => id));

const HEADERS_WITHIN_MS = 20_000;
const address = await service.app.listen({ host: '127.0.0.1', port: 0 });

describe('a search in the log', () => {
  test.each([1, 2, 100])(
    'reads a bounded number of entries, then continues with its cursor, and finds all: limit %i',
    async (limit) => {
      const pages = (await walk((params) => list(params), { ip: RARE_IP, limit })) as readonly LogPage[];
      expect(idsOf(pages)).toEqual(RARE_IDS.toReversed());
      for (const { data, pagination } of pages) {
        expect(pagination.hasMore).toBe(pagination.nextCursor !== null);
        if (data.length < limit && pagination.hasMore) expect(pagination.searchedTo).toMatch(/Z$/);
        else expect(pagination).not.toHaveProperty('searchedTo');
      }
      const back = (await walk((params) => list(params), {
        ip: RARE_IP,
        limit,
        direction: 'before',
      })) as readonly LogPage[];
      expect(idsOf(back.toReversed())).toEqual(RARE_IDS.toReversed());
    },
  );

  test('for requests among many changes finds all of them, in both directions', async () => {
    const { workspaceId, send } = await dashboard.owner();
    const mixed = rows.map((row) => ({
      ...row,
      kind: row['ip'] === RARE_IP ? 'api.request' : 'record.changed',
      actor: 'ada@example.com',
    }));
    await seedRecords(service.pool, workspaceId, resourceNamed('audit-log'), mixed);
    const ask = (params: Params) =>
      send('GET', urlOf(`/workspaces/${workspaceId}/log`, { ...RANGE, ...params, kind: 'api.request' }));
    for (const direction of ['forward', 'before'] as const) {
      const pages = (await walk(ask, { limit: 100, direction })) as readonly LogPage[];
      const inOrder = direction === 'forward' ? pages : pages.toReversed();
      expect(idsOf(inOrder)).toEqual(RARE_IDS.toReversed());
      expect(pages.some(({ pagination }) => 'searchedTo' in pagination)).toBe(true);
    }
  });

  test('returns empty pages with cursors, and the time up to which it has searched', async () => {
    const pages = await walk((params) => list(params), { requestId: 'req_nobody_has' });
    expect(pages.map(({ data }) => data)).toEqual([[], [], []]);
    expect(pages.map(({ pagination }) => pagination.searchedTo)).toEqual([
      timeOf(ENTRIES - SEARCHED_ROWS_MAX).replace('.000', '.000000'),
      timeOf(ENTRIES - 2 * SEARCHED_ROWS_MAX).replace('.000', '.000000'),
      undefined,
    ]);
  });

  test('can be followed: no entry is skipped or repeated, and none is searched twice', async () => {
    const filter = { ip: '192.0.2.99' };
    let { startCursor } = (await page(filter)).pagination;
    const follow = async (): Promise<LogPage> => {
      const next = await page({ ...filter, cursor: startCursor ?? '', direction: 'before', limit: 2 });
      startCursor = next.pagination.startCursor;
      return next;
    };
    const newest = startCursor;
    const matches = [5, SEARCHED_ROWS_MAX + 5, SEARCHED_ROWS_MAX + 6, SEARCHED_ROWS_MAX + 7];
    const added = Array.from({ length: SEARCHED_ROWS_MAX + 10 }, (_, i) =>
      entryOf(ENTRIES + i, matches.includes(i) ? filter.ip : COMMON_IP),
    );
    await seed(added);
    const pages = [await follow()];
    while (pages.at(-1)?.pagination.hasMore === true) pages.push(await follow());
    expect(pages.map(({ data }) => data.length)).toEqual([1, 2, 1]);
    expect(pages.flatMap(({ data }) => data.map(({ id }) => id).toReversed())).toEqual(
      matches.map((i) => added[i]?.id),
    );
    expect(startCursor).not.toBe(newest);
    const again = await follow();
    expect([again.data, again.pagination.hasMore]).toEqual([[], false]);
  });

  test.each(['csv', 'ndjson'] as const)(
    'is exported completely, also after pages without entries: %s',
    async (format) => {
      const params = { ...RANGE, to: timeOf(ENTRIES), ip: RARE_IP, format };
      const { text } = await owner.send('GET', urlOf(`${log}/export`, params));
      const ids = [...text.matchAll(/log_seed_\d+/g)].map(([id]) => id);
      expect(ids).toEqual(RARE_IDS.toReversed());
      if (format === 'ndjson') expect(text.split('\n')).toHaveLength(RARE_IDS.length + 1);
    },
  );

  test.each<readonly [string, (owner: Visitor & { readonly workspaceId: string }) => Promise<unknown>]>([
    [
      'name',
      ({ workspaceId }) =>
        inTransaction(service.pool, (client) =>
          appendEvent(client, workspaceId, TEST_ACTOR, {
            kind: 'workspace.restored',
            target: { id: workspaceId, label: 'a\ud800b' },
          }),
        ),
    ],
    [
      'file name',
      ({ send, workspaceId }) =>
        send('POST', `/workspaces/${workspaceId}/imports/companies?fileName=a%00b`, undefined, {
          payload: 'id,name\n',
          headers: { 'content-type': 'text/csv' },
        }),
    ],
  ])('works in spite of a %s that is no text', async (_, write) => {
    const other = await dashboard.owner();
    await write(other);
    for (const filter of ['ip=203.0.113.7', 'requestId=req_1', 'actor=a%40example.com']) {
      expect((await other.send('GET', `/workspaces/${other.workspaceId}/log?${filter}`)).status).toBe(200);
    }
  });

  test('ends its export when the reader goes away, also if it finds nothing', async () => {
    const gone = new Promise<void>((resolve) => {
      service.app.server.once('connection', (socket: Socket) => socket.once('close', () => resolve()));
    });
    const url = `${address}/dashboard/api${urlOf(`${log}/export`, { ip: '192.0.2.1', format: 'csv' })}`;
    const client = await service.pool.connect();
    const statements = await statementsOf(async () => {
      // Pages of the log read this table. The entry about the export does not.
      await client.query('begin; lock table imports in access exclusive mode');
      const reading = new AbortController();
      const { status } = await fetch(url, { headers: { cookie: owner.cookie }, signal: reading.signal });
      expect(status).toBe(200);
      reading.abort();
      await gone;
      await client.query('commit');
      client.release();
      // These wait for their turn in the same lane.
      for (let i = 0; i < 3; i++) await list({ kind: 'key.created' });
    });
    expect(statements.filter((statement) => statement.includes('is_last'))).toHaveLength(1);
  });

  test('sends the headers of its export after the first part of the search, although it has found nothing', async () => {
    const search = Promise.withResolvers<void>();
    let searches = 0;
    const original = pg.Client.prototype.query as (this: pg.Client, ...all: unknown[]) => unknown;
    const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function second(
      this: pg.Client,
      ...all: unknown[]
    ) {
      const isSearch = JSON.stringify(all[0]).includes('is_last');
      if (isSearch) searches += 1;
      const run = () => original.apply(this, all);
      return (isSearch && searches === 2 ? search.promise.then(run) : run()) as never;
    });
    const url = `${address}/dashboard/api${urlOf(`${log}/export`, { ...RANGE, ip: '192.0.2.1', format: 'ndjson' })}`;
    const response = await fetch(url, {
      headers: { cookie: owner.cookie },
      signal: AbortSignal.timeout(HEADERS_WITHIN_MS),
    }).finally(search.resolve);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
    ]);
    expect(await response.text()).toBe('');
    spy.mockRestore();
    expect(searches).toBeGreaterThan(1);
  });
});
