import type { Content, ListEnvelope } from '@svc/sdk';
import { BATCH_MAX_RECORDS } from '@svc/sdk/contract';
import { describe, expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import { createTestDashboard, type Visitor } from '../../../test/harness/dashboard.ts';
import { createTestService } from '../../../test/harness/service.ts';

const service = await createTestService();
const dashboard = createTestDashboard(service);
const owner = await dashboard.owner();
const { workspaceId } = owner;
const admin = await dashboard.member(workspaceId, 'admin');
const viewer = await dashboard.member(workspaceId, 'viewer');
const stranger = await dashboard.owner();
const data = `/workspaces/${workspaceId}/data`;

const create = (who: Visitor, name: string, body: object, key: string = crypto.randomUUID()) =>
  who.send('POST', `${data}/${name}`, body, { headers: { 'idempotency-key': key } });
const read = (name: string, id: string) => viewer.send('GET', `${data}/${name}/${id}`);
const listed = async (name: string) =>
  (await viewer.send('GET', `${data}/${name}?limit=100`)).json<ListEnvelope<{ id: string }>>().data;

const { id: companyId } = (await create(owner, 'companies', { name: 'Acme' })).json<{ id: string }>();
const newContent = async (title: string): Promise<Content> =>
  (await create(owner, 'content', { companyId, title })).json<Content>();

describe('creating a record', () => {
  test('creates it once, however often the form is sent', async () => {
    const body = { companyId, title: 'Once' };
    const first = await create(admin, 'content', body, 'same-form');
    expect(first.status).toBe(201);
    const { id } = first.json<Content>();
    const again = await create(admin, 'content', body, 'same-form');
    expect(again.status).toBe(200);
    expect(again.json()).toEqual(first.json());
    expect(again.headers['etag']).toBe(first.headers['etag']);
    expectFailure(
      await create(admin, 'content', { ...body, title: 'Other' }, 'same-form'),
      'idempotency_mismatch',
    );
    await admin.send('DELETE', `${data}/content/${id}`);
    expectFailure(await create(admin, 'content', body, 'same-form'), 'not_found', 'deleted since');
  });

  test('is refused like the same request of the API, and to viewers and strangers', async () => {
    expectFailure(await create(owner, 'content', { companyId }), 'invalid_body', '/title');
    expectFailure(
      await create(owner, 'content', { companyId: 'com_none', title: 'A' }),
      'invalid_body',
      '/companyId',
    );
    expectFailure(await create(owner, 'api-keys', {}), 'not_found');
    expectFailure(await create(viewer, 'content', { companyId, title: 'A' }), 'insufficient_scope');
    expectFailure(await create(stranger, 'content', { companyId, title: 'A' }), 'not_found');
  });
});

describe('deleting a record', () => {
  test('deletes only the version that was read', async () => {
    const { id } = await newContent('A');
    const etag = String((await read('content', id)).headers['etag']);
    await admin.send('PATCH', `${data}/content/${id}`, { title: 'B' });
    const remove = (who: Visitor, headers: Record<string, string> = {}) =>
      who.send('DELETE', `${data}/content/${id}`, undefined, { headers });
    expectFailure(await remove(owner, { 'if-match': etag }), 'precondition_failed');
    expectFailure(await remove(viewer), 'insufficient_scope');
    expectFailure(await remove(stranger), 'not_found');
    const now = String((await read('content', id)).headers['etag']);
    expect((await remove(owner, { 'if-match': now })).status).toBe(204);
    expectFailure(await read('content', id), 'not_found');
    expectFailure(await remove(owner), 'not_found');
  });

  test('is refused for a company with records, and for records that never change', async () => {
    await newContent('Of the company');
    expectFailure(await owner.send('DELETE', `${data}/companies/${companyId}`), 'conflict');
    const audit = await create(owner, 'audits', {
      companyId,
      headlineScore: 1,
      completedAt: '2026-03-01T09:30:00Z',
    });
    const { id } = audit.json<{ id: string }>();
    expectFailure(await owner.send('DELETE', `${data}/audits/${id}`), 'method_not_allowed');
  });
});

describe('writing several records', () => {
  test('changes all or none, for owners and admins of the workspace', async () => {
    const ids = [(await newContent('One')).id, (await newContent('Two')).id];
    const move = (who: Visitor, to: string, some: readonly string[]) =>
      who.send('PATCH', `${data}/content/batch`, { data: some.map((id) => ({ id, status: to })) });
    const states = async () =>
      Promise.all(ids.map(async (id) => (await read('content', id)).json<Content>().status));
    expectFailure(await move(viewer, 'in_review', ids), 'insufficient_scope');
    expectFailure(await move(stranger, 'in_review', ids), 'not_found');
    expectFailure(await move(owner, 'in_review', [...ids, 'con_none']), 'not_found', '/data/2');
    expectFailure(await move(owner, 'archived', ids), 'invalid_transition', '/data/0');
    expect(await states()).toEqual(['draft', 'draft']);
    expect((await move(admin, 'in_review', ids)).status).toBe(200);
    expect(await states()).toEqual(['in_review', 'in_review']);
  });

  test('deletes all or none, at most as many as a batch of the API', async () => {
    const ids = [(await newContent('One')).id, (await newContent('Two')).id];
    const remove = (who: Visitor, some: readonly string[]) =>
      who.send('POST', `${data}/content/batch/delete`, { data: some.map((id) => ({ id })) });
    const many = Array.from({ length: BATCH_MAX_RECORDS + 1 }, (_, i) => `con_${i}`);
    expectFailure(await remove(owner, many), 'invalid_body', `1 to ${BATCH_MAX_RECORDS}`);
    expectFailure(await remove(viewer, ids), 'insufficient_scope');
    expectFailure(await remove(owner, [...ids, 'con_none']), 'not_found', '/data/2');
    expect((await listed('content')).map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    expect((await remove(owner, ids)).status).toBe(204);
    expect((await listed('content')).filter(({ id }) => ids.includes(id))).toEqual([]);
  });
});
