import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDashboard, type Visitor } from '../../../test/harness/dashboard.ts';
import { resourceNamed, seedRecords } from '../../../test/harness/records.ts';
import { createTestService } from '../../../test/harness/service.ts';
import type { ExplorerAnswer } from './explorer-wire.ts';

const service = await createTestService();
const { pool } = service;
const dashboard = createTestDashboard(service);
const owner = await dashboard.owner();
const stranger = await dashboard.owner();
const { workspaceId } = owner;
const viewer = await dashboard.member(workspaceId, 'viewer');
const createdAt = '2026-03-01T09:30:00Z';

beforeAll(async () => {
  await seedRecords(pool, workspaceId, resourceNamed('companies'), [
    { id: 'com_a', name: 'Acme', createdAt },
    { id: 'com_b', name: 'Borealis', createdAt },
  ]);
  await seedRecords(pool, stranger.workspaceId, resourceNamed('companies'), [
    { id: 'com_hidden', name: 'Hidden', createdAt },
  ]);
});

const post = (by: Visitor, body: object, options = {}) =>
  by.send('POST', `/workspaces/${workspaceId}/explorer`, body, options);
const send = async (by: Visitor, method: string, path: string, body?: object): Promise<ExplorerAnswer> => {
  // A second later, so that no test uses the limit of another.
  service.clock.now += 1_000;
  const payload = { method, path, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const answer = await post(by, payload);
  expect(answer.status, answer.text).toBe(200);
  return answer.json();
};
const errorOf = ({ text }: { readonly text: string }) =>
  (JSON.parse(text) as { error: { code: string; message: string } }).error;
/** What a request with a live key leaves behind. */
const traces = async () =>
  (
    await pool.query(
      `select (select count(*) from audit_log where workspace_id = $1 and kind = 'api.request') as entries,
        (select live_requests from live_meters where workspace_id = $1) as used,
        (select count(*) from key_usage where workspace_id = $1 and key_id like 'member%') as usage,
        (select count(*) from companies where workspace_id = $1) as companies,
        (select count(*) from idempotent_answers where workspace_id = $1) as answers`,
      [workspaceId],
    )
  ).rows[0];
const NO_TRACES = { entries: 0, used: 0, usage: 0, companies: 2, answers: 0 };

describe('a request of the explorer', () => {
  test('of every member gets what a test key gets, page by page, and only from their workspace', async () => {
    const token = await service.token(workspaceId, { mode: 'test' });
    for (const by of [owner, viewer]) {
      const { status, body, headers } = await send(by, 'GET', '/v1/companies?limit=1');
      const withKey = (await service.request(token, '/v1/companies?limit=1')).json();
      expect([status, JSON.parse(body)]).toEqual([200, withKey]);
      expect(Object.fromEntries(headers)).toMatchObject({ 'request-id': expect.any(String) });
      const { nextCursor } = (JSON.parse(body) as { pagination: { nextCursor: string } }).pagination;
      const next = await send(by, 'GET', `/v1/companies?cursor=${nextCursor}`);
      expect(JSON.parse(next.body)).toMatchObject({ data: [{ id: 'com_a' }] });
    }
    expect((await send(owner, 'GET', '/v1/companies/com_hidden')).status).toBe(404);
    expect((await send(owner, 'GET', '/v1/companies?limit=0')).status).toBe(400);
    expect((await post(stranger, { method: 'GET', path: '/v1/companies' })).status).toBe(404);
    expect((await post(dashboard.nobody, { method: 'GET', path: '/v1/companies' })).status).toBe(401);
  });

  test('that writes is a dry run, without entry, quota, usage and stored answer, and a viewer may not send it', async () => {
    await pool.query('update live_meters set live_quota = 1, live_requests = 0 where workspace_id = $1', [
      workspaceId,
    ]);
    const created = await send(owner, 'POST', '/v1/companies', { name: 'Cumulus' });
    expect(created.status).toBe(201);
    expect(Object.fromEntries(created.headers)['dry-run']).toBe('true');
    for (const [method, path, body, status] of [
      ['PUT', '/v1/companies/com_c', { name: 'Cirrus' }, 201],
      ['PATCH', '/v1/companies/com_a', { name: 'Renamed' }, 200],
      ['DELETE', '/v1/companies/com_none', undefined, 404],
      ['POST', '/v1/companies/batch', { data: [{ name: 'One' }] }, 201],
      ['POST', '/v1/companies', { name: '' }, 400],
    ] as const)
      expect((await send(owner, method, path, body)).status, path).toBe(status);
    const refused = await post(viewer, { method: 'POST', path: '/v1/companies', body: '{"name":"x"}' });
    expect([refused.status, errorOf(refused).code]).toEqual([403, 'insufficient_scope']);
    expect(await traces()).toEqual(NO_TRACES);
    const { rows } = await pool.query('select name from companies where workspace_id = $1 order by name', [
      workspaceId,
    ]);
    expect(rows).toEqual([{ name: 'Acme' }, { name: 'Borealis' }]);
  });

  test.each([
    '/v1/me',
    '/v1/%6de',
    '/v1/changes/stream',
    '/v1/audits/export?limit=1',
    '/v1/changes?after=now&wait=30',
    '/v1/changes?after=now&wait=0&wait=30',
  ])('for %s is refused: it needs a key', async (path) => {
    const answer = await post(owner, { method: 'GET', path });
    expect([answer.status, errorOf(answer).code]).toEqual([400, 'invalid_body']);
    expect(errorOf(answer).message).toContain('with an API key');
  });

  test('that does not wait may say so', async () => {
    expect((await send(viewer, 'GET', '/v1/changes?after=now&wait=0')).status).toBe(200);
  });

  test.each([
    { method: 'GET', path: '/dashboard/api/me' },
    { method: 'GET', path: 'http://example.com/v1/audits' },
    { method: 'GET', path: '/v1/../metrics' },
    { method: 'GET', path: '/v1/%2e%2E/metrics' },
    { method: 'GET', path: '/v1/..\\metrics' },
    { method: 'GET', path: '/v1/audits\r\nhost: x' },
    { method: 'TRACE', path: '/v1/audits' },
    { method: 'GET', path: '/v1/audits', headers: { authorization: 'Bearer x' } },
    { method: 'GET', path: `/v1/${'a'.repeat(9_000)}` },
  ])('with another destination is refused: %j', async (body) => {
    expect((await post(owner, body)).status).toBe(400);
  });

  test('of another site is refused', async () => {
    const request = { method: 'GET', path: '/v1/companies' };
    const answer = await post(owner, request, { headers: { origin: 'https://evil.example' } });
    expect(answer.status).toBe(403);
  });

  test('gives no rights to requests of the network at the same time', async () => {
    const [mine, ...others] = await Promise.all([
      send(owner, 'GET', '/v1/companies'),
      ...Array.from({ length: 20 }, () => service.request(null, '/v1/companies')),
    ]);
    expect(mine.status).toBe(200);
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([401]));
  });

  test('is one of at most ten in a second of a person', async () => {
    service.clock.now += 2_000;
    const one = { method: 'GET', path: '/v1/companies' };
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(viewer, one)));
    const statuses = answers.map((answer) => answer.json<ExplorerAnswer>().status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
    expect((await post(owner, one)).json<ExplorerAnswer>().status).toBe(200);
  });

  test('ends with the session’s membership', async () => {
    const leaving = await dashboard.member(workspaceId, 'admin');
    const one = { method: 'GET', path: '/v1/companies' };
    expect((await post(leaving, one)).status).toBe(200);
    await pool.query('delete from members where workspace_id = $1 and user_id = $2', [
      workspaceId,
      leaving.userId,
    ]);
    expect((await post(leaving, one)).status).toBe(404);
  });
});
