import type { AuditLogEntry, ListEnvelope } from '@svc/sdk';
import { describe, expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import { createTestDashboard } from '../../../test/harness/dashboard.ts';
import { statementsOf } from '../../../test/harness/database.ts';
import { urlOf, walk } from '../../../test/harness/lists.ts';
import { resourceNamed, type SeedRow, seedRecords } from '../../../test/harness/records.ts';
import { createTestService } from '../../../test/harness/service.ts';

const service = await createTestService();
const dashboard = createTestDashboard(service);
const owner = await dashboard.owner();
const viewer = await dashboard.member(owner.workspaceId, 'viewer');
const log = `/workspaces/${owner.workspaceId}/log`;

const ENTRIES = 60;
const second = (index: number): string => `2026-03-01T10:00:${String(index).padStart(2, '0')}.000000Z`;
const seeded: readonly SeedRow[] = Array.from({ length: ENTRIES }, (_, index) => ({
  id: `log_seed_${String(index).padStart(2, '0')}`,
  createdAt: second(index),
  kind: index % 10 === 0 ? 'key.created' : 'api.request',
  keyId: index % 3 === 0 ? 'key_a' : 'key_b',
  actor: index % 10 === 0 ? `person${index % 20}@example.com` : null,
  method: index % 4 === 0 ? 'POST' : 'GET',
  path: index % 2 === 0 ? '/v1/audits' : `/v1/audits/aud_${index}`,
  status: [200, 404, 500, 201, 429][index % 5],
  ip: index % 6 === 0 ? '198.51.100.7' : '203.0.113.7',
  requestId: `req_${index}`,
  targetId: index % 10 === 0 ? `target_${index % 20}` : undefined,
  userAgent: index === 7 ? '=HYPERLINK("http://x.example","a, b")' : 'curl/8.5.0',
}));
await seedRecords(service.pool, owner.workspaceId, resourceNamed('audit-log'), seeded);

type Params = Readonly<Record<string, string | number | undefined>>;
const RANGE = { from: second(0), to: '2026-03-01T10:01:00Z' } as const;
const list = (params: Params) => viewer.send('GET', urlOf(log, params));
const page = async (params: Params): Promise<ListEnvelope<AuditLogEntry>> => (await list(params)).json();
/** The seeded entries that meet a condition, newest first. */
const expected = (meets: (row: SeedRow, index: number) => boolean): readonly string[] =>
  seeded
    .filter(meets)
    .map(({ id }) => id)
    .reverse();

describe('a filtered audit log', () => {
  test.each([
    ['2001:db8::1', '2001:DB8:0:0::1'],
    ['192.0.2.1', '::ffff:192.0.2.1'],
    ['::ffff:192.0.2.2', '::FFFF:c000:202'],
  ])('has the requests from %s if the filter writes it as %s', async (remoteAddress, ip) => {
    const token = await service.token(owner.workspaceId);
    await service.request(token, '/v1/audits', { remoteAddress });
    expect((await page({ ip })).data).toHaveLength(1);
  });

  test.each<readonly [string, Params, (row: SeedRow, index: number) => boolean]>([
    ['kind', { kind: 'key.created' }, ({ kind }) => kind === 'key.created'],
    ['key', { keyId: 'key_a' }, ({ keyId }) => keyId === 'key_a'],
    ['person', { actor: 'Person10@example.com' }, ({ actor }) => actor === 'person10@example.com'],
    ['target', { targetId: 'target_10' }, ({ targetId }) => targetId === 'target_10'],
    ['address', { ip: '198.51.100.7' }, ({ ip }) => ip === '198.51.100.7'],
    ['request id', { requestId: 'req_17' }, ({ requestId }) => requestId === 'req_17'],
    ['method', { method: 'POST' }, ({ method }) => method === 'POST'],
    ['path', { path: '/v1/audits' }, ({ path }) => path === '/v1/audits'],
    [
      'what a path begins with',
      { pathPrefix: '/v1/audits/aud_1' },
      ({ path }) => String(path).startsWith('/v1/audits/aud_1'),
    ],
    ['status', { statusMin: 404, statusMax: 404 }, ({ status }) => status === 404],
    ['class of status', { statusMin: 400, statusMax: 499 }, ({ status }) => status === 404 || status === 429],
    ['time', { from: second(10), to: second(20) }, (_, index) => index >= 10 && index < 20],
    [
      'all at once',
      { kind: 'api.request', keyId: 'key_b', method: 'GET', statusMin: 400, from: second(5) },
      ({ kind, keyId, method, status }, index) =>
        kind === 'api.request' &&
        keyId === 'key_b' &&
        method === 'GET' &&
        Number(status) >= 400 &&
        index >= 5,
    ],
  ])('by %s holds exactly the entries that meet it, and its pages join', async (_, filters, meets) => {
    const pages = await walk((params) => list(params), { ...RANGE, ...filters, limit: 7 });
    expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(expected(meets));
  });

  test('binds its cursors to the filters', async () => {
    const { pagination } = await page({ ...RANGE, limit: 5 });
    const cursor = pagination.nextCursor ?? '';
    expectFailure(await list({ ...RANGE, cursor, statusMin: 500 }), 'cursor_mismatch');
    expectFailure(
      await viewer.send('GET', urlOf(`/workspaces/${owner.workspaceId}/keys`, { cursor })),
      'cursor_mismatch',
    );
  });

  test.each([
    [{ status: 404 }, 'Unknown query parameter "status"'],
    [{ method: 'FETCH' }, '"method" must be one of GET'],
    [{ statusMin: 4 }, '"statusMin" must be an HTTP status'],
    [{ path: 'v1' }, '"path" must be a path'],
    [{ from: 'yesterday' }, '"from" must be an ISO 8601'],
    [{ ip: 'localhost' }, '"ip" must be an IP address'],
    [{ requestId: 'a b' }, '"requestId" must be a request id'],
    [{ targetId: '%' }, '"targetId" must be the id'],
    [{ actor: '' }, '"actor" must be the email address'],
    [{ keyId: "' or 1=1" }, '"keyId" must be the id'],
  ])('refuses %o and says what is allowed', async (params, message) => {
    expectFailure(await list(params), 'invalid_parameter', message);
  });
});

describe('following the log', () => {
  test('with the startCursor of each page shows every request with a live key once', async () => {
    const token = await service.token(owner.workspaceId);
    const sandbox = await service.token(owner.workspaceId, { mode: 'test' });
    let cursor = (await page({ kind: 'api.request' })).pagination.startCursor ?? '';
    const sent: string[] = [];
    const seen: string[] = [];
    for (let round = 0; round < 5; round++) {
      const urls = Array.from({ length: 4 }, (_, i) => `/v1/audits/aud_${round}_${i}`);
      const [, , , , tail] = await Promise.all([
        ...urls.map((url) => service.request(token, url)),
        page({ kind: 'api.request', cursor, direction: 'before' }),
        service.request(sandbox, '/v1/audits/aud_sandbox'),
      ]);
      sent.push(...urls);
      const read = tail as ListEnvelope<AuditLogEntry>;
      seen.push(...read.data.map(({ path }) => path ?? '').toReversed());
      cursor = read.pagination.startCursor ?? cursor;
    }
    const rest = await page({ kind: 'api.request', cursor, direction: 'before' });
    seen.push(...rest.data.map(({ path }) => path ?? '').toReversed());
    expect(seen.toSorted()).toEqual(sent.toSorted());
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('the filtered columns have the values of the entry', async () => {
    const token = await service.token(owner.workspaceId);
    await service.request(token, '/v1/audits/aud_columns');
    const { data } = await page({
      path: '/v1/audits/aud_columns',
      statusMin: 404,
      statusMax: 404,
      method: 'GET',
    });
    expect(data).toEqual([
      expect.objectContaining({ path: '/v1/audits/aud_columns', status: 404, method: 'GET' }),
    ]);
    const [entry] = data;
    const one = await viewer.send('GET', `${log}/${entry?.id}`);
    expect(one.json()).toEqual(entry);
    expectFailure(await viewer.send('GET', `${log}/log_none`), 'not_found');
  });
});

describe('the export of the log', () => {
  const exported = (params: Params) => viewer.send('GET', urlOf(`${log}/export`, params));
  const pagesRead = (statements: readonly string[]): number =>
    statements.filter((statement) => statement.includes('audit_log_entries')).length;

  test('returns the list as NDJSON, with one entry per line', async () => {
    const answer = await exported({ ...RANGE, format: 'ndjson', keyId: 'key_b' });
    expect(answer.headers['content-type']).toContain('application/x-ndjson');
    expect(answer.headers['content-disposition']).toMatch(
      /^attachment; filename="audit-log-\d{4}-\d\d-\d\d\.ndjson"$/,
    );
    const pages = await walk((params) => list(params), { ...RANGE, keyId: 'key_b', limit: 100 });
    const lines = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toEqual(pages.flatMap(({ data }) => data));
  });

  test('returns CSV with a header, and no cell is a formula', async () => {
    const { text } = await exported({ ...RANGE, format: 'csv' });
    const rows = text.trimEnd().split('\n');
    expect(rows).toHaveLength(ENTRIES + 1);
    expect(rows[0]).toMatch(
      /^id,kind,createdAt,keyId,actor,requestId,method,path,status,durationMs,ip,userAgent/,
    );
    expect(text).toContain(`"'=HYPERLINK(""http://x.example"",""a, b"")"`);
  });

  test('returns the entries of all pages without a gap, and reads at most 100 at a time', async () => {
    const rows = Array.from({ length: 2_500 }, (_, i) => ({
      id: `log_many_${i}`,
      createdAt: '2026-02-01T00:00:00Z',
      kind: 'api.request',
    }));
    await seedRecords(service.pool, owner.workspaceId, resourceNamed('audit-log'), rows);
    const params = { format: 'ndjson', from: '2026-02-01T00:00:00Z', to: '2026-02-02T00:00:00Z' };
    let text = '';
    const statements = await statementsOf(async () => {
      text = (await exported(params)).text;
    });
    expect(pagesRead(statements)).toBeGreaterThanOrEqual(rows.length / 100);
    const ids = text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as AuditLogEntry).id);
    expect(ids.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
  });

  test('responds to HEAD with the headers only, and reads no page of the log', async () => {
    const url = urlOf(`${log}/export`, { ...RANGE, format: 'csv' });
    const head = await viewer.send('GET', url, undefined, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    const ofHead = await statementsOf(async () => {
      await viewer.send('GET', url, undefined, { method: 'HEAD' });
      // An unused stream would be read after the response, so wait for another request.
      await viewer.send('GET', '/me');
    });
    const ofGet = await statementsOf(() => viewer.send('GET', url));
    expect([pagesRead(ofHead), pagesRead(ofGet) > 0]).toEqual([0, true]);
    expect(head.headers['content-type']).toContain('text/csv');
  });

  test('returns an empty file without entries, and refuses unknown parameters', async () => {
    const none = { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' };
    expect((await exported({ ...none, format: 'ndjson' })).text).toBe('');
    expectFailure(
      await exported({ format: 'xml' }),
      'invalid_parameter',
      '"format" must be one of csv, ndjson',
    );
    expectFailure(
      await exported({ format: 'csv', limit: 5 }),
      'invalid_parameter',
      'Unknown query parameter "limit"',
    );
  });
});

test('only members can read the log of a workspace', async () => {
  const stranger = await dashboard.owner();
  for (const path of [log, `${log}/export?format=csv`, `${log}/log_seed_00`]) {
    expectFailure(await stranger.send('GET', path), 'not_found', 'There is no such workspace.');
    expectFailure(await dashboard.nobody.send('GET', path), 'not_signed_in');
  }
});
