import type { AuditLogEntry, Content, ListEnvelope } from '@svc/sdk';
import { describe, expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import { createTestDashboard } from '../../../test/harness/dashboard.ts';
import { urlOf } from '../../../test/harness/lists.ts';
import { createTestService } from '../../../test/harness/service.ts';
import type { Scores } from '../wire.ts';

const service = await createTestService();
const dashboard = createTestDashboard(service);
const owner = await dashboard.owner();
const { workspaceId } = owner;
const admin = await dashboard.member(workspaceId, 'admin');
const viewer = await dashboard.member(workspaceId, 'viewer');
const data = `/workspaces/${workspaceId}/data`;
const token = await service.token(workspaceId, { access: 'write' });
const create = async (name: string, body: object): Promise<string> => {
  const answer = await service.request(token, `/v1/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });
  return answer.json<{ id: string }>().id;
};
const companyId = await create('companies', { name: 'Acme' });
const otherId = await create('companies', { name: 'Borealis' });
const DAY_MS = 86_400_000;
const ago = (days: number): string => new Date(service.clock.now - days * DAY_MS).toISOString();
for (const [days, headlineScore] of [
  [40, 10],
  [3, 60],
  [2, 70],
  [1, 80],
] as const) {
  await create('audits', { companyId, headlineScore, completedAt: ago(days) });
}
await create('audits', { companyId: otherId, headlineScore: 30, completedAt: ago(2) });

describe('the records of a workspace', () => {
  test.each(['audits', 'mentions', 'content', 'companies'])(
    'are listed as the API lists them: %s',
    async (name) => {
      const params = { limit: 2 };
      const ours = (await viewer.send('GET', urlOf(`${data}/${name}`, params))).json<ListEnvelope<unknown>>();
      const theirs = (await service.request(token, urlOf(`/v1/${name}`, params))).json<
        ListEnvelope<unknown>
      >();
      expect(ours).toEqual(theirs);
    },
  );

  test('are filtered and sorted by the same rules', async () => {
    const { data: found } = (
      await viewer.send('GET', urlOf(`${data}/audits`, { companyId, sort: 'score-ascending' }))
    ).json<ListEnvelope<{ headlineScore: number }>>();
    expect(found.map(({ headlineScore }) => headlineScore)).toEqual([10, 60, 70, 80]);
    expectFailure(
      await viewer.send('GET', `${data}/audits?sort=size`),
      'invalid_parameter',
      '"sort" must be one of',
    );
    expectFailure(await viewer.send('GET', `${data}/api-keys`), 'not_found');
  });
});

describe('changing a record', () => {
  const change = async (
    who: typeof viewer,
    id: string,
    patch: object,
    headers: Record<string, string> = {},
  ) => who.send('PATCH', `${data}/content/${id}`, patch, { headers });
  const entriesOf = async (): Promise<readonly AuditLogEntry[]> => {
    const answer = await viewer.send('GET', `/workspaces/${workspaceId}/log?kind=record.changed`);
    return answer.json<ListEnvelope<AuditLogEntry>>().data;
  };

  test('is allowed for owners and admins along the declared transitions, and logs the person', async () => {
    const id = await create('content', { companyId, title: 'A' });
    for (const who of [owner, admin]) {
      const answer = await change(who, id, { title: `By ${who.email}` });
      expect(answer.json<Content>().title).toBe(`By ${who.email}`);
    }
    expect((await change(admin, id, { status: 'in_review' })).json<Content>().status).toBe('in_review');
    expectFailure(
      await change(admin, id, { status: 'archived' }),
      'invalid_transition',
      'Allowed from in_review',
    );
    expectFailure(await change(viewer, id, { title: 'By a viewer' }), 'insufficient_scope');
    expect(
      (await entriesOf()).map(({ actor, resource, recordIds }) => ({ actor, resource, recordIds })),
    ).toEqual(
      [admin, admin, owner].map(({ email }) => ({ actor: email, resource: 'content', recordIds: [id] })),
    );
  });

  test('loses no concurrent change, and does nothing if nothing differs', async () => {
    const id = await create('content', { companyId, title: 'A' });
    const before = (await entriesOf()).length;
    const etag = String((await viewer.send('GET', `${data}/content/${id}`)).headers['etag']);
    for (const headers of [{ 'if-match': etag }, { 'if-match': '*' }, {}]) {
      for (const patch of [{ title: 'A' }, {}]) {
        expect((await change(owner, id, patch, headers)).headers['etag']).toBe(etag);
      }
    }
    expect(await entriesOf()).toHaveLength(before);
    expect((await change(owner, id, { title: 'B' }, { 'if-match': etag })).status).toBe(200);
    expectFailure(await change(admin, id, { title: 'C' }, { 'if-match': etag }), 'precondition_failed');
    expect(await entriesOf()).toHaveLength(before + 1);
  });

  test('refuses immutable resources, unknown fields and missing records', async () => {
    const { data: audits } = (await viewer.send('GET', `${data}/audits`)).json<
      ListEnvelope<{ id: string }>
    >();
    expectFailure(
      await owner.send('PATCH', `${data}/audits/${audits[0]?.id}`, { headlineScore: 1 }),
      'method_not_allowed',
    );
    expectFailure(await change(owner, 'con_none', { title: 'A' }), 'not_found');
    expectFailure(await change(owner, 'con_none', { titel: 'A' }), 'invalid_body', 'titel');
  });

  test('refuses other sites, and people who are not members of the workspace', async () => {
    const id = await create('content', { companyId, title: 'A' });
    expectFailure(
      await change(owner, id, { title: 'B' }, { 'sec-fetch-site': 'cross-site' }),
      'insufficient_scope',
    );
    const stranger = await dashboard.owner();
    expectFailure(await change(stranger, id, { title: 'B' }), 'not_found', 'There is no such workspace.');
    for (const path of [`${data}/content`, `${data}/content/${id}`, `/workspaces/${workspaceId}/scores`]) {
      expectFailure(await stranger.send('GET', path), 'not_found', 'There is no such workspace.');
      expectFailure(await dashboard.nobody.send('GET', path), 'not_signed_in');
    }
    const foreign = `/workspaces/${stranger.workspaceId}/data/content/${id}`;
    expectFailure(await stranger.send('GET', foreign), 'not_found', 'There is no such content item.');
  });
});

describe('headline scores over time', () => {
  const scores = async (params: Record<string, string>): Promise<Scores> =>
    (await viewer.send('GET', urlOf(`/workspaces/${workspaceId}/scores`, params))).json<Scores>();

  test('are those of the last audit in each span, for each company', async () => {
    const { times, companies } = await scores({ range: '7d' });
    expect(times).toHaveLength(60);
    expect(companies.map(({ name }) => name)).toEqual(['Acme', 'Borealis']);
    expect(companies.map((line) => line.scores.filter((score) => score !== null))).toEqual([
      [60, 70, 80],
      [30],
    ]);
  });

  test('are those of the companies with audits in the most spans, however many audits one span has', async () => {
    const other = await dashboard.owner();
    const key = await service.token(other.workspaceId, { access: 'write' });
    const post = (path: string, payload: object) =>
      service.request(key, path, {
        method: 'POST',
        payload,
        headers: { 'content-type': 'application/json' },
      });
    const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'Burst'];
    await post('/v1/companies/batch', { data: names.map((name) => ({ id: `com_${name}`, name })) });
    const audit = (name: string, days: number) => ({
      companyId: `com_${name}`,
      headlineScore: 50,
      completedAt: ago(days),
    });
    const regular = names.slice(0, 6).flatMap((name) => [audit(name, 5), audit(name, 3)]);
    const burst = Array.from({ length: 80 }, () => audit('Burst', 1));
    await post('/v1/audits/batch', { data: [...regular, audit('G', 3), ...burst] });
    const { companies } = (await other.send('GET', `/workspaces/${other.workspaceId}/scores`)).json<Scores>();
    expect(companies.map(({ name }) => name)).toEqual(names.slice(0, 6));
  });

  test('are limited to one company and to the range', async () => {
    const { companies } = await scores({ range: '90d', companyId });
    expect(companies).toHaveLength(1);
    expect(companies[0]?.scores.find((score) => score !== null)).toBe(10);
    expect((await scores({ companyId: 'com_none' })).companies).toEqual([]);
    expectFailure(
      await viewer.send('GET', `/workspaces/${workspaceId}/scores?range=2d`),
      'invalid_parameter',
    );
  });
});
