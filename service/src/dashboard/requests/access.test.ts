import { describe, expect, test } from 'vitest';
import { createTestDashboard, newEmail, type Visitor } from '../../../test/harness/dashboard.ts';
import { createTestService, type TestAnswer } from '../../../test/harness/service.ts';

/** Sends every request to a workspace without a session, and as a stranger, a viewer and an admin. */

const service = await createTestService();
const dashboard = createTestDashboard(service);
const owner = await dashboard.owner();
const { workspaceId } = owner;
const admin = await dashboard.member(workspaceId, 'admin');
const viewer = await dashboard.member(workspaceId, 'viewer');
const stranger = await dashboard.owner();

const KEY = { name: 'x', mode: 'test', access: 'read', companyId: null };
const { keyId } = await service.issue(workspaceId);
const memberOf = async ({ userId }: Visitor): Promise<string> => {
  const { rows } = await service.pool.query<{ id: string }>(
    'select id from members where workspace_id = $1 and user_id = $2',
    [workspaceId, userId],
  );
  return rows[0]?.id ?? 'none';
};
const extra = await memberOf(await dashboard.member(workspaceId, 'viewer'));
const invite = () =>
  owner.send('POST', `/workspaces/${workspaceId}/invitations`, { email: newEmail(), role: 'viewer' });
const invitation = (await invite()).json<{ invitation: { id: string } }>().invitation.id;

type Line = readonly [
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body: object | undefined,
  viewer: number,
  admin: number,
];

/** Paths below /workspaces/{id}, and the statuses for a viewer and an admin. Later lines delete what earlier ones use. */
const ENDPOINTS: readonly Line[] = [
  ['GET', '', undefined, 200, 200],
  ['GET', '/month', undefined, 200, 200],
  ['GET', '/keys', undefined, 200, 200],
  ['GET', '/members', undefined, 200, 200],
  ['GET', '/invitations', undefined, 403, 200],
  ['PATCH', '', { name: 'Renamed' }, 403, 200],
  ['PATCH', '', { liveQuota: 5 }, 403, 403],
  ['PATCH', '', { burstLimit: null }, 403, 403],
  ['PATCH', '', { name: 'Renamed again', liveQuota: 5 }, 403, 403],
  ['POST', '/keys', KEY, 403, 201],
  ['GET', `/keys/${keyId}`, undefined, 200, 200],
  ['GET', `/keys/${keyId}/usage`, undefined, 200, 200],
  ['GET', '/key-notices', undefined, 200, 200],
  ['POST', '/explorer', { method: 'GET', path: '/v1/audits' }, 200, 200],
  ['POST', '/explorer', { method: 'DELETE', path: '/v1/companies/com_none' }, 403, 200],
  ['PATCH', `/keys/${keyId}`, { name: 'renamed' }, 403, 200],
  ['POST', `/keys/${keyId}/pause`, {}, 403, 200],
  ['POST', `/keys/${keyId}/resume`, {}, 403, 200],
  ['POST', `/keys/${keyId}/rotate`, {}, 403, 200],
  ['POST', `/keys/${keyId}/revoke`, {}, 403, 200],
  ['POST', '/invitations', { email: newEmail(), role: 'viewer' }, 403, 201],
  ['POST', '/invitations', { email: newEmail(), role: 'owner' }, 403, 403],
  ['DELETE', `/invitations/${invitation}`, undefined, 403, 204],
  ['PATCH', `/members/${extra}`, { role: 'admin' }, 403, 200],
  ['PATCH', `/members/${extra}`, { role: 'owner' }, 403, 403],
  ['DELETE', `/members/${extra}`, undefined, 403, 204],
];

const refusal = ({ status, text }: TestAnswer) => ({ status, text });

describe.each(ENDPOINTS)('%s /workspaces/{id}%s', (method, path, body, forViewer, forAdmin) => {
  const send = (visitor: Visitor, id = workspaceId) => visitor.send(method, `/workspaces/${id}${path}`, body);

  test('without a session is 401', async () => {
    const answer = await send(dashboard.nobody);
    expect(answer.status).toBe(401);
    expect(answer.json()).toMatchObject({ error: { code: 'not_signed_in' } });
  });

  test('gives a stranger the same response as for a workspace that does not exist', async () => {
    const answer = await send(stranger);
    expect(answer.status).toBe(404);
    for (const id of ['wks_none', 'wks_01h455vb4pex5vsknk084sn02q', '%00', 'a%20b']) {
      expect(refusal(await send(stranger, id))).toEqual(refusal(answer));
    }
  });

  test(`answers a viewer ${forViewer}`, async () => {
    const answer = await send(viewer);
    expect(answer.status).toBe(forViewer);
    if (forViewer === 403) expect(answer.json()).toMatchObject({ error: { code: 'insufficient_scope' } });
  });

  test(`answers an admin ${forAdmin}`, async () => {
    const answer = await send(admin);
    expect(answer.status, answer.text).toBe(forAdmin);
    expect(answer.headers['cache-control']).toBe('no-store');
  });
});

test('a removed member has no access from the next request on', async () => {
  const leaving = await dashboard.member(workspaceId, 'admin');
  const path = `/workspaces/${workspaceId}/keys`;
  expect((await leaving.send('GET', path)).status).toBe(200);
  const removed = await owner.send('DELETE', `/workspaces/${workspaceId}/members/${await memberOf(leaving)}`);
  expect(removed.status).toBe(204);
  expect((await leaving.send('GET', path)).status).toBe(404);
  expect((await leaving.send('POST', path, KEY)).status).toBe(404);
});

test('an unknown path returns 404 in the envelope, with and without a session', async () => {
  for (const visitor of [owner, dashboard.nobody]) {
    const answer = await visitor.send('GET', '/nothing');
    expect(answer.status).toBe(404);
    expect(answer.json()).toEqual({ error: { code: 'not_found', message: 'There is no such path.' } });
  }
});
