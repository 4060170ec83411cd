import { waitFor } from '@svc/embedded-postgres/testing';
import type { AuditLogEntry } from '@svc/sdk';
import { describe, expect, test } from 'vitest';
import { createTestDashboard, PASSWORD } from '../harness/dashboard.ts';
import { createTestService } from '../harness/service.ts';
import { totpCode } from '../harness/totp.ts';
import { methodOf } from './change.ts';
import { CHANGES } from './changes.ts';
import { openProvider, settingsFor } from './openid.ts';
import { routesOf } from './routes.ts';

const provider = await openProvider();
const { result: service, routes } = await routesOf(() => createTestService({ oidc: settingsFor(provider) }));
const dashboard = createTestDashboard(service);
const world = { service, dashboard, provider };

const API = '/dashboard/api';
/** Requests with GET that need an entry, because they export data or show a secret. */
const EXPORTS = [
  'GET /workspaces/:workspaceId/log/export',
  'GET /workspaces/:workspaceId/webhooks/:endpointId/secret',
];
const ORIGIN = { ip: '198.51.100.23', userAgent: 'Trail/1.0' } as const;
const FROM = { remoteAddress: ORIGIN.ip, headers: { 'user-agent': ORIGIN.userAgent } } as const;

async function entriesOf(workspaceId: string): Promise<readonly AuditLogEntry[]> {
  const { rows } = await service.pool.query<{ entry: AuditLogEntry }>(
    'select doc::json as entry from audit_log_entries where workspace_id = $1 order by created_at',
    [workspaceId],
  );
  return rows.map(({ entry }) => entry);
}

test('every route of the dashboard that changes something has a case here', () => {
  const changing = routes.flatMap((route) => {
    const [method = '', url = ''] = route.split(' ');
    const path = `${method} ${url.slice(API.length)}`;
    const changes = !['GET', 'HEAD', 'OPTIONS'].includes(method) || EXPORTS.includes(path);
    return url.startsWith(API) && changes ? [path] : [];
  });
  expect(changing.length).toBeGreaterThan(20);
  expect(Object.keys(CHANGES).toSorted()).toEqual([...new Set(changing)].toSorted());
});

describe('a change leaves its entries, with the actor, the target and the origin', () => {
  test.each(Object.entries(CHANGES))('%s', async (route, prepare) => {
    const { as, path, body, options, entries, actor = as.email, ...change } = await prepare(world);
    const before = change.workspaceId === undefined ? [] : await entriesOf(change.workspaceId);
    const answer = await as.send(methodOf(route), path, body, {
      ...options,
      remoteAddress: FROM.remoteAddress,
      headers: { ...FROM.headers, ...options?.headers },
    });
    expect(answer.status, answer.text).toBeLessThan(300);
    const parsed = (text: string) =>
      JSON.parse(text) as { readonly workspaceId?: string; readonly id: string };
    const { workspaceId = parsed(answer.text).workspaceId ?? parsed(answer.text).id } = change;
    const left = (await entriesOf(workspaceId)).slice(before.length);
    const requestId = answer.headers['request-id'];
    expect(left).toEqual(
      entries.map((entry) => expect.objectContaining({ ...entry, ...ORIGIN, actor, requestId })),
    );
    for (const { targetId } of left) expect(targetId).toEqual(expect.any(String));
  });
});

describe('a failed attempt leaves an entry with the account and the origin', () => {
  const { send } = dashboard.nobody;

  test('to sign in with a wrong password', async () => {
    const { email, userId, workspaceId } = await dashboard.bootstrap();
    const before = await entriesOf(workspaceId);
    await send('POST', '/auth/sign-in/email', { email, password: 'not the password' }, FROM);
    await waitFor(async () => {
      expect((await entriesOf(workspaceId)).slice(before.length)).toEqual([
        expect.objectContaining({
          ...ORIGIN,
          kind: 'session.sign_in_failed',
          actor: email,
          targetType: 'member',
          targetId: userId,
          targetLabel: email,
          details: { method: 'password' },
        }),
      ]);
    });
  });

  test.each([
    ['/auth/change-password', { currentPassword: 'wrong', newPassword: PASSWORD }, 'auth/change-password'],
    ['/auth/two-factor/enable', { password: 'wrong' }, 'two-factor/enable'],
    ['/auth/two-factor/disable', { password: 'wrong' }, 'two-factor/disable'],
    ['/auth/two-factor/generate-backup-codes', { password: 'wrong' }, 'two-factor/generate-backup-codes'],
  ])('to use a wrong current password: %s', async (path, body, action) => {
    const owner = await dashboard.owner();
    if (path.includes('two-factor') && !path.endsWith('enable')) {
      const started = await owner.send('POST', '/auth/two-factor/enable', { password: PASSWORD });
      const code = totpCode(started.json<{ totpURI: string }>().totpURI);
      await owner.send('POST', '/auth/two-factor/verify-totp', { code });
    }
    const session = await dashboard.signIn(owner.userId, owner.email);
    const before = await entriesOf(owner.workspaceId);
    const answer = await session.send('POST', path, body, FROM);
    expect(answer.status).toBe(400);
    expect((await entriesOf(owner.workspaceId)).slice(before.length)).toEqual([
      expect.objectContaining({
        ...ORIGIN,
        kind: 'account.password_check_failed',
        actor: owner.email,
        targetId: owner.userId,
        requestId: answer.headers['request-id'],
        details: { action: action.replace('auth/', '') },
      }),
    ]);
  });
});

test('a change of an account is in the log of each workspace of the person', async () => {
  const { email, userId, workspaceId } = await dashboard.bootstrap();
  const second = await dashboard.bootstrap(email);
  const session = await dashboard.signIn(userId, email);
  await session.send('POST', '/auth/two-factor/enable', { password: PASSWORD });
  await session.send('POST', '/auth/sign-out', {});
  for (const id of [workspaceId, second.workspaceId]) {
    expect((await entriesOf(id)).map(({ kind }) => kind)).toEqual([
      'workspace.created',
      'session.signed_in',
      'account.second_factor_started',
      'session.ended',
    ]);
  }
});

test('a change of settings to the same values leaves no entry', async () => {
  const { workspaceId, send } = await dashboard.owner();
  const before = await entriesOf(workspaceId);
  await send('PATCH', `/workspaces/${workspaceId}`, { name: 'Test', liveQuota: null });
  expect(await entriesOf(workspaceId)).toEqual(before);
});
