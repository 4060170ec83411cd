import type { AnyAuditLogEntry } from '@svc/sdk';
import { createSetUpLink, createSignInLink } from '../../src/dashboard/index.ts';
import { createOperatorResetLink } from '../../src/dashboard/people/operator.ts';
import { newEmail, PASSWORD, PUBLIC_URL, tokenOf } from '../harness/dashboard.ts';
import { totpCode } from '../harness/totp.ts';
import { member, type Prepare, type World, workspaceOf } from './change.ts';

/** A change of the own account, in a session. */
const ofAccount =
  (path: string, body: object, entry: Partial<AnyAuditLogEntry>): Prepare =>
  async (world) => {
    const { owner, workspaceId } = await workspaceOf(world);
    return { as: owner, workspaceId, path, body, entries: [{ ...entry, ...member(owner) }] };
  };

const ended = (sessions: number) => ({ kind: 'session.ended' as const, details: { sessions } });

async function withFactor(world: World) {
  const { owner, workspaceId } = await workspaceOf(world);
  const started = await owner.send('POST', '/auth/two-factor/enable', { password: PASSWORD });
  const { totpURI, backupCodes } = started.json<{ totpURI: string; backupCodes: readonly string[] }>();
  return { owner, workspaceId, totpURI, backupCodes };
}

/** Requests that change an account or its sessions, by their routes. */
export const ACCOUNT_CHANGES: Readonly<Record<string, Prepare>> = {
  'POST /set-up': async ({ service: { pool }, dashboard }) => {
    const link = await createSetUpLink({ pool, publicUrl: PUBLIC_URL });
    const email = newEmail();
    return {
      as: dashboard.nobody,
      path: '/set-up',
      body: { token: tokenOf(link ?? ''), email, password: PASSWORD, name: 'Ada', workspaceName: 'First' },
      actor: email,
      entries: [
        { kind: 'workspace.created', targetType: 'workspace', targetLabel: 'First' },
        {
          kind: 'session.signed_in',
          targetType: 'member',
          targetLabel: email,
          details: { method: 'link' },
        },
      ],
    };
  },
  'POST /set-up/read': async (world) => {
    const { owner, workspaceId } = await workspaceOf(world);
    await world.service.pool.query(
      `insert into one_time_links (token_hash, purpose, expires_at)
       values (sha256('token'), 'set-up', now() + interval '1 hour') on conflict do nothing`,
    );
    return { as: owner, workspaceId, path: '/set-up/read', body: { token: 'token' }, entries: [] };
  },
  'PATCH /me': async (world) => {
    const { owner, workspaceId } = await workspaceOf(world);
    const email = newEmail();
    const { rows } = await world.service.pool.query<{ name: string }>(
      'select name from users where id = $1',
      [owner.userId],
    );
    return {
      as: owner,
      workspaceId,
      path: '/me',
      body: { name: 'Ada Byron', email, currentPassword: PASSWORD },
      entries: [
        {
          kind: 'account.changed',
          targetType: 'member',
          targetId: owner.userId,
          targetLabel: email,
          changes: [
            { field: 'name', before: rows[0]?.name ?? '', after: 'Ada Byron' },
            { field: 'email', before: owner.email, after: email },
          ],
        },
      ],
    };
  },
  'POST /sign-in-link': async ({ service: { pool }, dashboard }) => {
    const { userId, email, workspaceId } = await dashboard.bootstrap();
    const link = await createSignInLink({ pool, publicUrl: PUBLIC_URL, userId });
    return {
      as: dashboard.nobody,
      workspaceId,
      path: '/sign-in-link',
      body: { token: tokenOf(link) },
      actor: email,
      entries: [{ kind: 'session.signed_in', ...member({ userId, email }), details: { method: 'link' } }],
    };
  },
  'POST /password-reset/read': async ({ service: { pool }, dashboard }) => {
    const { email, workspaceId } = await dashboard.bootstrap();
    const link = await createOperatorResetLink({ pool, publicUrl: PUBLIC_URL, email });
    const body = { token: tokenOf(link) };
    return { as: dashboard.nobody, workspaceId, path: '/password-reset/read', body, entries: [] };
  },
  'POST /password-reset': async ({ service: { pool }, dashboard }) => {
    const { userId, email, workspaceId } = await dashboard.bootstrap();
    await dashboard.signIn(userId, email);
    const link = await createOperatorResetLink({ pool, publicUrl: PUBLIC_URL, email });
    return {
      as: dashboard.nobody,
      workspaceId,
      path: '/password-reset',
      body: { token: tokenOf(link), password: `another ${PASSWORD}` },
      actor: email,
      entries: [
        {
          kind: 'account.password_reset',
          ...member({ userId, email }),
          details: { method: 'link', sessionsEnded: 1 },
        },
      ],
    };
  },
  'POST /auth/sign-in/email': async ({ dashboard }) => {
    const { userId, email, workspaceId } = await dashboard.bootstrap();
    return {
      as: dashboard.nobody,
      workspaceId,
      path: '/auth/sign-in/email',
      body: { email, password: PASSWORD },
      actor: email,
      entries: [{ kind: 'session.signed_in', ...member({ userId, email }), details: { method: 'password' } }],
    };
  },
  'POST /auth/two-factor/enable': ofAccount(
    '/auth/two-factor/enable',
    { password: PASSWORD },
    { kind: 'account.second_factor_started' },
  ),
  'POST /auth/two-factor/verify-totp': async (world) => {
    const { owner, workspaceId, totpURI } = await withFactor(world);
    return {
      as: owner,
      workspaceId,
      path: '/auth/two-factor/verify-totp',
      body: { code: totpCode(totpURI) },
      entries: [{ kind: 'account.second_factor_enabled', ...member(owner) }],
    };
  },
  'POST /auth/two-factor/verify-backup-code': async (world) => {
    const { owner, workspaceId, totpURI, backupCodes } = await withFactor(world);
    const { nobody } = world.dashboard;
    await owner.send('POST', '/auth/two-factor/verify-totp', { code: totpCode(totpURI) });
    const first = await world.dashboard.enter(owner.email, PASSWORD);
    const cookie = [first.headers['set-cookie'] ?? []].flat().map((text) => String(text).split(';', 1)[0]);
    return {
      as: nobody,
      workspaceId,
      path: '/auth/two-factor/verify-backup-code',
      body: { code: backupCodes[0] },
      options: { headers: { cookie: cookie.join('; ') } },
      actor: owner.email,
      entries: [{ kind: 'session.signed_in', ...member(owner), details: { method: 'backup_code' } }],
    };
  },
  'POST /auth/two-factor/disable': async (world) => {
    const { owner, workspaceId, totpURI } = await withFactor(world);
    await owner.send('POST', '/auth/two-factor/verify-totp', { code: totpCode(totpURI) });
    const again = await world.dashboard.signIn(owner.userId, owner.email);
    return {
      as: again,
      workspaceId,
      path: '/auth/two-factor/disable',
      body: { password: PASSWORD },
      entries: [{ kind: 'account.second_factor_disabled', ...member(owner) }],
    };
  },
  'POST /auth/two-factor/generate-backup-codes': async (world) => {
    const { owner, workspaceId, totpURI } = await withFactor(world);
    await owner.send('POST', '/auth/two-factor/verify-totp', { code: totpCode(totpURI) });
    const again = await world.dashboard.signIn(owner.userId, owner.email);
    return {
      as: again,
      workspaceId,
      path: '/auth/two-factor/generate-backup-codes',
      body: { password: PASSWORD },
      entries: [{ kind: 'account.backup_codes_created', ...member(owner) }],
    };
  },
  'POST /auth/change-password': async (world) => {
    const { owner, workspaceId } = await workspaceOf(world);
    await world.dashboard.signIn(owner.userId, owner.email);
    return {
      as: owner,
      workspaceId,
      path: '/auth/change-password',
      body: { currentPassword: PASSWORD, newPassword: `another ${PASSWORD}`, revokeOtherSessions: true },
      entries: [{ kind: 'account.password_changed', ...member(owner), details: { sessionsEnded: 1 } }],
    };
  },
  'POST /auth/sign-out': ofAccount('/auth/sign-out', {}, ended(1)),
  'POST /auth/revoke-sessions': ofAccount('/auth/revoke-sessions', {}, ended(1)),
  'POST /auth/revoke-other-sessions': async (world) => {
    const { owner, workspaceId } = await workspaceOf(world);
    for (let i = 0; i < 2; i++) await world.dashboard.signIn(owner.userId, owner.email);
    const path = '/auth/revoke-other-sessions';
    return { as: owner, workspaceId, path, body: {}, entries: [{ ...ended(2), ...member(owner) }] };
  },
  'POST /auth/revoke-session': async (world) => {
    const { owner, workspaceId } = await workspaceOf(world);
    const other = await world.dashboard.signIn(owner.userId, owner.email);
    const current = await other.send('GET', '/auth/get-session');
    const { session } = current.json<{ session: { id: string } }>();
    const path = '/auth/revoke-session';
    const entries = [{ ...ended(1), ...member(owner) }];
    return { as: owner, workspaceId, path, body: { id: session.id }, entries };
  },
};
