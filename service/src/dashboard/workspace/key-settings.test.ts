import type { ApiKey } from '@svc/sdk';
import { describe, expect, test } from 'vitest';
import { createTestDashboard } from '../../../test/harness/dashboard.ts';
import { createTestService, type TestAnswer } from '../../../test/harness/service.ts';

const service = await createTestService();
const { pool } = service;
const dashboard = createTestDashboard(service);
const owner = await dashboard.owner();
const keys = `/workspaces/${owner.workspaceId}/keys`;
const KEY = { name: 'crawler', mode: 'live', access: 'read', companyId: null };
const create = async (key: object = {}): Promise<{ readonly key: ApiKey }> =>
  (await owner.send('POST', keys, { ...KEY, ...key })).json();
const code = (answer: TestAnswer): string => answer.json<{ error: { code: string } }>().error.code;
const message = (answer: TestAnswer): string => answer.json<{ error: { message: string } }>().error.message;

describe('the settings of a key', () => {
  test('are those of its creation and of its changes, with networks in canonical form', async () => {
    const settings = {
      expiresAt: '2100-01-01T00:00:00Z',
      allowedNetworks: ['10.1.2.3/8', '::1'],
      burstLimit: 5,
    };
    const { key } = await create(settings);
    const read = async () => (await owner.send('GET', `${keys}/${key.id}`)).json();
    expect(await read()).toMatchObject({
      key: { id: key.id, expiresAt: '2100-01-01T00:00:00.000000Z', pausedAt: null },
      allowedNetworks: ['10.0.0.0/8', '::1/128'],
      burstLimit: 5,
      createdBy: owner.email,
    });
    const renamed = await owner.send('PATCH', `${keys}/${key.id}`, { name: 'spider', allowedNetworks: null });
    expect(renamed.json()).toMatchObject({ key: { name: 'spider' } });
    expect(await read()).toMatchObject({ key: { name: 'spider' }, allowedNetworks: null, burstLimit: 5 });
  });

  test.each([
    ['expiresAt', '2020-01-01T00:00:00Z', 'must be in the future, or null.'],
    ['expiresAt', '2100-02-30T00:00:00Z', 'must be a time that exists, or null.'],
    ['expiresAt', 'tomorrow', 'must be a time in UTC, such as'],
    ['allowedNetworks', [], 'must be a list of 1 to 50 IP addresses'],
    ['allowedNetworks', ['10.0.0.0/33'], '"10.0.0.0/33" is neither.'],
    ['allowedNetworks', ['example.com'], '"example.com" is neither.'],
    ['allowedNetworks', ['::/0', '2001:db8::/32'], 'allows no IPv4 address'],
    ['allowedNetworks', ['0.0.0.0/0'], 'allows no IPv6 address'],
    ['allowedNetworks', Array.from({ length: 51 }, (_, i) => `10.0.0.${i}`), 'must be a list of 1 to 50'],
    ['burstLimit', 0, 'must be an integer from 1 to'],
  ])('refuse %s: %j', async (field, value, text) => {
    const { key } = await create();
    for (const [method, path, body] of [
      ['POST', keys, { ...KEY, [field]: value }],
      ['PATCH', `${keys}/${key.id}`, { [field]: value }],
    ] as const) {
      const answer = await owner.send(method, path, body);
      expect([answer.status, code(answer)]).toEqual([400, 'invalid_body']);
      expect(message(answer)).toContain(`"${field}" must be`);
      expect(message(answer)).toContain(text);
    }
  });

  test('are those of a key that replaces another one of its workspace', async () => {
    const { key: replaced } = await create();
    const { key } = await create({ replaces: replaced.id });
    const { rows } = await pool.query(
      "select doc::json -> 'details' ->> 'replaces' as replaces from audit_log where target_id = $1",
      [key.id],
    );
    expect(rows).toEqual([{ replaces: replaced.id }]);
    const stranger = await dashboard.owner();
    const strange = await service.issue(stranger.workspaceId);
    for (const replaces of ['key_unknown', strange.keyId]) {
      const answer = await owner.send('POST', keys, { ...KEY, replaces });
      expect([answer.status, code(answer), message(answer)]).toEqual([
        ...[400, 'invalid_body', '"replaces" must be the id of a key of this workspace, or null.'],
      ]);
    }
  });

  test('cannot change after the key is revoked; a change without an effect is not logged', async () => {
    const { key } = await create();
    const log = async () =>
      (await pool.query('select kind from audit_log where target_id = $1 order by created_at', [key.id]))
        .rows;
    expect((await owner.send('PATCH', `${keys}/${key.id}`, { name: 'crawler' })).status).toBe(200);
    expect((await owner.send('POST', `${keys}/${key.id}/resume`)).status).toBe(200);
    expect(await log()).toEqual([{ kind: 'key.created' }]);
    await owner.send('POST', `${keys}/${key.id}/revoke`);
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'spider' }],
      ['POST', '/pause', undefined],
      ['POST', '/resume', undefined],
    ] as const) {
      const answer = await owner.send(method, `${keys}/${key.id}${path}`, body);
      expect([answer.status, code(answer)]).toEqual([409, 'conflict']);
    }
  });

  test('belong to the workspace: a stranger gets 404', async () => {
    const { key } = await create();
    const stranger = await dashboard.owner();
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['POST', '/pause'],
    ] as const) {
      const answer = await stranger.send(
        method,
        `/workspaces/${stranger.workspaceId}/keys/${key.id}${path}`,
        method === 'PATCH' ? { name: 'mine' } : undefined,
      );
      expect(answer.status).toBe(404);
    }
  });
});
