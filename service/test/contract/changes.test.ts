import type { Change, ErrorCode } from '@svc/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { createTestService, type TestAnswer, type TestService } from '../harness/service.ts';

interface Page {
  readonly data: readonly Change[];
  readonly pagination: {
    readonly nextCursor: string | null;
    readonly hasMore: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
    readonly position: string;
  };
}

let service: TestService;
let workspaceId: string;
let token: string;

beforeAll(async () => {
  service = await createTestService();
});

async function fresh(): Promise<void> {
  workspaceId = await service.workspace();
  token = await service.token(workspaceId, { access: 'write' });
}

const send = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<TestAnswer> =>
  service.request(token, path, {
    method,
    ...(body === undefined ? {} : { payload: body, headers: { 'content-type': 'application/json' } }),
  });
async function page(query: Readonly<Record<string, string>> = {}, by = token): Promise<Page> {
  const answer = await service.request(by, `/v1/changes?${new URLSearchParams(query)}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json<Page>();
}
const company = (id: string) => send('POST', '/v1/companies', { id, name: id });
const typesOf = ({ data }: Page) => data.map(({ type, recordId }) => `${type} ${recordId}`);

describe('GET /v1/changes', () => {
  test('has every creation, update and deletion with the record after it, newest first', async () => {
    await fresh();
    await company('com_a');
    await send('POST', '/v1/content', { id: 'con_1', companyId: 'com_a', title: 'One' });
    const changed = await send('PATCH', '/v1/content/con_1', { title: 'Two', status: 'in_review' });
    await send('POST', '/v1/audits', {
      id: 'aud_1',
      companyId: 'com_a',
      headlineScore: 7,
      completedAt: '2026-03-01T09:30:00Z',
    });
    await send('DELETE', '/v1/content/con_1');
    const { data, pagination } = await page();
    expect(typesOf({ data, pagination })).toEqual([
      'content.deleted con_1',
      'audit.created aud_1',
      'content.updated con_1',
      'content.created con_1',
      'company.created com_a',
    ]);
    const [deleted, audit, updated, created] = data;
    expect(deleted).toMatchObject({ resource: 'content', companyId: 'com_a', record: null });
    expect(deleted).not.toHaveProperty('changed');
    expect(audit?.record).toEqual((await service.request(token, '/v1/audits/aud_1')).json());
    expect(updated?.record).toEqual(changed.json());
    expect(updated?.changed).toEqual(['title', 'status', 'updatedAt']);
    expect(updated?.createdAt).toBe(changed.json<{ updatedAt: string }>().updatedAt);
    expect(created?.record).toMatchObject({ title: 'One', status: 'draft' });
    expect(pagination.position).toBe(deleted?.id);
    expect(data.map(({ id }) => id)).toEqual(
      data
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
  });

  test('has neither dry runs, refused writes nor patches that change nothing', async () => {
    await fresh();
    await company('com_a');
    const before = await page();
    const test = await service.token(workspaceId, { access: 'write', mode: 'test' });
    const dry = await service.request(test, '/v1/companies', { method: 'POST', payload: { name: 'Dry' } });
    expect(dry.status).toBe(201);
    expect((await company('com_a')).status).toBe(409);
    expect((await send('PATCH', '/v1/companies/com_a', { name: 'com_a' })).status).toBe(200);
    expect(await page()).toEqual(before);
  });

  test('pages in both directions and both orders through a large batch, with a cursor or a position', async () => {
    await fresh();
    await company('com_a');
    const data = Array.from({ length: 230 }, (_, i) => ({
      companyId: 'com_a',
      headlineScore: i % 100,
      completedAt: '2026-03-01T09:30:00Z',
    }));
    await send('POST', '/v1/audits/batch', { data });
    await send('POST', '/v1/content', { companyId: 'com_a', title: 'One' });
    const all = (await walk({ sort: 'created-ascending', limit: '100' })).map(({ id }) => id);
    expect(all).toHaveLength(232);
    for (const limit of ['1', '7', '50', '99', '100']) {
      expect((await walk({ limit })).map(({ id }) => id)).toEqual(all.toReversed());
      expect((await walk({ limit, sort: 'created-ascending' })).map(({ id }) => id)).toEqual(all);
      expect((await walk({ limit, direction: 'before' })).map(({ id }) => id).toSorted()).toEqual(all);
    }
    for (const [index, id] of [...all.entries()].filter(([i]) => i % 37 === 0)) {
      const next = await page({ after: id, limit: '5' });
      expect(next.data.map((change) => change.id)).toEqual(all.slice(index + 1, index + 6));
      expect((await service.request(token, `/v1/changes/${id}`)).json()).toMatchObject({ id });
    }
  });

  test('the position of every page continues after it, also that of an empty page', async () => {
    await fresh();
    const empty = await page();
    expect(empty.data).toEqual([]);
    const now = await page({ after: 'now' });
    expect(now).toMatchObject({
      data: [],
      pagination: { hasMore: false, position: empty.pagination.position },
    });
    await company('com_a');
    await company('com_b');
    const one = await page({ after: now.pagination.position, limit: '1' });
    expect(typesOf(one)).toEqual(['company.created com_a']);
    expect(one.pagination.hasMore).toBe(true);
    const two = await page({ after: one.pagination.position });
    expect(typesOf(two)).toEqual(['company.created com_b']);
    const end = await page({ after: two.pagination.position });
    expect(end).toMatchObject({ data: [], pagination: { position: two.pagination.position } });
    expect((await page()).pagination.position).toBe(two.pagination.position);
  });

  test('filters by resource, type and company, and a page that finds nothing moves its position on', async () => {
    await fresh();
    const { pagination } = await page();
    await company('com_a');
    await company('com_b');
    await send('POST', '/v1/content', { id: 'con_1', companyId: 'com_a', title: 'One' });
    await send('POST', '/v1/content', { id: 'con_2', companyId: 'com_b', title: 'Two' });
    const end = (await page()).pagination.position;
    expect(typesOf(await page({ resource: 'content' }))).toEqual([
      'content.created con_2',
      'content.created con_1',
    ]);
    expect(typesOf(await page({ type: 'company.created', companyId: 'com_b' }))).toEqual([
      'company.created com_b',
    ]);
    const none = await page({ after: pagination.position, type: 'audit.created' });
    expect(none).toMatchObject({ data: [], pagination: { hasMore: false, position: end } });
  });

  test('a record that moves leaves its old company and enters the new one', async () => {
    await fresh();
    await company('com_a');
    await company('com_b');
    await send('POST', '/v1/content', { id: 'con_1', companyId: 'com_a', title: 'One' });
    await send('PATCH', '/v1/content/con_1', { companyId: 'com_b' });
    const ofCompany = async (companyId: string) => {
      const key = await service.token(workspaceId, { companyId });
      const [byKey, byFilter] = [await page({}, key), await page({ companyId })];
      expect(byKey.data).toEqual(byFilter.data);
      return byKey;
    };
    expect(typesOf(await page({ resource: 'content' }))[0]).toBe('content.updated con_1');
    const old = await ofCompany('com_a');
    expect(typesOf(old)[0]).toBe('content.deleted con_1');
    expect(old.data[0]).toMatchObject({ companyId: 'com_a', record: null });
    expect(typesOf(await ofCompany('com_b'))).toEqual(['content.updated con_1', 'company.created com_b']);
    expect(typesOf(await page({ type: 'content.deleted' }))).toEqual([]);
    expect(typesOf(await page({ type: 'content.deleted', companyId: 'com_a' }))).toHaveLength(1);
  });

  test('refuses parameters that exclude each other, positions of others, and those that have expired', async () => {
    await fresh();
    await company('com_a');
    const own = (await page()).pagination.position;
    const refused = async (query: string, code: ErrorCode, text: string) =>
      expectFailure(await service.request(token, `/v1/changes?${query}`), code, text);
    const { nextCursor } = (await page({ limit: '1', sort: 'created-ascending' })).pagination;
    await refused(
      `after=${own}&cursor=${nextCursor ?? 'x'}`,
      'invalid_parameter',
      '"after" excludes "cursor"',
    );
    await refused(`after=${own}&direction=forward`, 'invalid_parameter', '"after" excludes "direction"');
    await refused(`after=${own}&sort=created-descending`, 'invalid_parameter', 'must be created-ascending');
    for (const wrong of ['', 'x', 'chg_', own.toUpperCase(), `${own}0`, own.replace('chg_', 'chg_7')]) {
      await refused(`after=${wrong}`, 'invalid_parameter', '"after" must be now, or');
    }
    const earlier = workspaceId;
    await fresh();
    await refused(`after=${own}`, 'invalid_parameter', 'of this workspace');
    const [mine] = (await page()).data;
    expect(mine).toBeUndefined();
    workspaceId = earlier;
  });

  test('a write that does not append its change makes the positions before it expire', async () => {
    await fresh();
    await company('com_a');
    const { position } = (await page()).pagination;
    expect((await page({ after: position })).data).toEqual([]);
    for (const write of ['workspace_clocks set last_at = statement_timestamp()', 'companies set doc = doc'])
      await service.pool.query(`update ${write} where workspace_id = $1`, [workspaceId]);
    const gone = await service.request(token, `/v1/changes?after=${position}`);
    expectFailure(gone, 'position_expired', 'Start over');
    expect(gone.status).toBe(410);
    const now = await page({ after: 'now' });
    await company('com_b');
    expect(typesOf(await page({ after: now.pagination.position }))).toEqual(['company.created com_b']);
  });

  test('a cursor does not continue towards newer changes across those that are missing', async () => {
    await fresh();
    for (const id of ['com_a', 'com_b', 'com_c']) await company(id);
    const { pagination } = await page({ limit: '1', sort: 'created-ascending' });
    const newest = await page({ limit: '1' });
    await service.pool.query(
      `with gone as (delete from changes where workspace_id = $1 and last_at < (
         select max(last_at) from changes where workspace_id = $1) returning last_at)
       insert into feed_starts (workspace_id, complete_after) select $1, max(last_at) from gone`,
      [workspaceId],
    );
    const query = `limit=1&sort=created-ascending&cursor=${pagination.nextCursor}`;
    expectFailure(await service.request(token, `/v1/changes?${query}`), 'position_expired', 'Start over');
    const older = await page({ limit: '1', cursor: String(newest.pagination.nextCursor) });
    expect(older).toMatchObject({ data: [], pagination: { hasMore: false } });
  });
});

/** All items of a list, page by page. */
async function walk(query: Readonly<Record<string, string>>): Promise<readonly Change[]> {
  const found: Change[] = [];
  let cursor: string | null = null;
  do {
    const { data, pagination }: Page = await page({ ...query, ...(cursor === null ? {} : { cursor }) });
    expect(data.length).toBeLessThanOrEqual(Number(query['limit']));
    found.push(...data);
    cursor = pagination.nextCursor;
  } while (cursor !== null);
  return found;
}
