import type { Me } from '@svc/sdk';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { createTestService, TEST_ACTOR, type TestService } from '../harness/service.ts';

let service: TestService;
let workspaceId: string;
beforeAll(async () => {
  service = await createTestService();
});
beforeEach(async () => {
  workspaceId = await service.workspace();
  await service.pool.query("update workspaces set name = 'Acme', burst_limit = 50 where id = $1", [
    workspaceId,
  ]);
  await service.pool.query('update live_meters set live_quota = 10 where workspace_id = $1', [workspaceId]);
});

const me = async (token: string): Promise<Me> => (await service.request(token, '/v1/me')).json<Me>();

async function createCompany(id: string): Promise<void> {
  const token = await service.token(workspaceId, { access: 'write' });
  const answer = await service.request(token, '/v1/companies', {
    method: 'POST',
    payload: { id, name: 'Northwind' },
  });
  expect(answer.status).toBe(201);
}

test('/v1/me returns the key, its workspace, the burst limit, and the quota before this request', async () => {
  const { keyId, token } = await service.issue(workspaceId, { name: 'crawler', access: 'write' });
  const now = new Date(service.clock.now);
  const resetsAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString();
  const expected = {
    key: {
      id: keyId,
      name: 'crawler',
      mode: 'live',
      hint: `svc_live_…${token.slice(-4)}`,
      access: 'write',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/),
      expiresAt: null,
    },
    company: null,
    workspace: { id: workspaceId, name: 'Acme' },
    limits: { burst: 50 },
  };
  expect(await me(token)).toMatchObject({
    ...expected,
    quota: { limit: 10, used: 0, remaining: 10, resetsAt },
  });
  expect(await me(token)).toMatchObject({ ...expected, quota: { used: 1, remaining: 9 } });
});

test('/v1/me of a test key shows the quota and uses none of it', async () => {
  const token = await service.token(workspaceId, { mode: 'test' });
  for (let request = 0; request < 2; request++) {
    expect(await me(token)).toMatchObject({ key: { mode: 'test' }, quota: { used: 0, remaining: 10 } });
  }
});

test('/v1/me of a key that is limited to a company names the company, and not the quota of the workspace', async () => {
  await createCompany('com_one');
  const token = await service.token(workspaceId, { companyId: 'com_one' });
  expect(await me(token)).toMatchObject({ company: { id: 'com_one', name: 'Northwind' }, quota: null });
});

test('/v1/me has null for limits that are not set', async () => {
  const token = await service.token(await service.workspace());
  expect(await me(token)).toMatchObject({ limits: { burst: null }, quota: null });
});

test('a request for /v1/me with a live key has one entry in the audit log', async () => {
  const { keyId, token } = await service.issue(workspaceId);
  await me(token);
  const { rows } = await service.pool.query(
    "select kind, path, status, key_id from audit_log where workspace_id = $1 and kind = 'api.request'",
    [workspaceId],
  );
  expect(rows).toEqual([{ kind: 'api.request', path: '/v1/me', status: 200, key_id: keyId }]);
});

test('/v1/me refuses parameters, other methods, and a revoked key', async () => {
  const { keyId, token } = await service.issue(workspaceId);
  expectFailure(await service.request(token, '/v1/me?limit=1'), 'invalid_parameter');
  expectFailure(await service.request(token, '/v1/me', { method: 'DELETE' }), 'method_not_allowed');
  await service.keys.revoke(workspaceId, keyId, TEST_ACTOR);
  expectFailure(await service.request(token, '/v1/me'), 'invalid_key');
});
