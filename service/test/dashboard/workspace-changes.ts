import { newEmail, PASSWORD, tokenOf } from '../harness/dashboard.ts';
import { byOwner, member, type Prepare, type World, workspaceOf } from './change.ts';

/** Creates an invitation for a new email address, by an owner. */
async function invited(world: World) {
  const { owner, workspaceId, path } = await workspaceOf(world);
  const email = newEmail();
  const answer = await owner.send('POST', `${path}/invitations`, { email, role: 'admin' });
  const { invitation, link } = answer.json<{ invitation: { id: string }; link: string }>();
  const target = { targetType: 'invitation' as const, targetId: invitation.id, targetLabel: email };
  return { owner, workspaceId, path, email, token: tokenOf(link), target };
}

/** The id of a membership, which differs from the id of the user. */
async function membershipOf({ service: { pool } }: World, workspaceId: string, userId: string) {
  const { rows } = await pool.query<{ id: string }>(
    'select id from members where workspace_id = $1 and user_id = $2',
    [workspaceId, userId],
  );
  return rows[0]?.id ?? '';
}

/** A viewer who belongs to no other workspace. */
async function onlyMember({ service: { pool }, dashboard }: World, workspaceId: string) {
  const viewer = await dashboard.member(workspaceId, 'viewer');
  await pool.query('delete from members where user_id = $1 and workspace_id <> $2', [
    viewer.userId,
    workspaceId,
  ]);
  return viewer;
}

/** The workspace, under its present name. */
async function targetOf({ service: { pool } }: World, workspaceId: string) {
  const { rows } = await pool.query<{ name: string }>('select name from workspaces where id = $1', [
    workspaceId,
  ]);
  return { targetType: 'workspace' as const, targetId: workspaceId, targetLabel: rows[0]?.name ?? '' };
}

/** Requests that change a workspace or export data from it, by their routes. */
export const WORKSPACE_CHANGES: Readonly<Record<string, Prepare>> = {
  'POST /invitations/read': async (world) => {
    const { owner, workspaceId, token } = await invited(world);
    return { as: owner, workspaceId, path: '/invitations/read', body: { token }, entries: [] };
  },
  'POST /invitations/accept': async (world) => {
    const { workspaceId, email, token, target } = await invited(world);
    const joined = { targetType: 'member' as const, targetLabel: email };
    return {
      as: world.dashboard.nobody,
      workspaceId,
      path: '/invitations/accept',
      body: { token, name: 'Ada', password: PASSWORD },
      actor: email,
      entries: [
        { kind: 'member.joined', ...joined, details: { role: 'admin', invitationId: target.targetId } },
        { kind: 'session.signed_in', ...joined, details: { method: 'link' } },
      ],
    };
  },
  'POST /workspaces': async (world) => {
    const { owner } = await workspaceOf(world);
    const target = { targetType: 'workspace' as const, targetLabel: 'Second' };
    const entries = [{ kind: 'workspace.created' as const, ...target }];
    return { as: owner, path: '/workspaces', body: { name: 'Second' }, entries };
  },
  // A dry run, which has no entry.
  'POST /workspaces/:workspaceId/explorer': byOwner(async (_, { path }) => ({
    path: `${path}/explorer`,
    body: { method: 'POST', path: '/v1/companies', body: '{"name":"Acme"}' },
    entries: [],
  })),
  'PATCH /workspaces/:workspaceId': async (world) => {
    const { owner, workspaceId, path } = await workspaceOf(world);
    const { pool } = world.service;
    await pool.query('update users set two_factor_enabled = true where id = $1', [owner.userId]);
    await pool.query('update workspaces set second_factor_required = true where id = $1', [workspaceId]);
    const { rows } = await pool.query<{ name: string }>('select name from workspaces where id = $1', [
      workspaceId,
    ]);
    const target = { targetType: 'workspace' as const, targetId: workspaceId, targetLabel: 'New' };
    return {
      as: owner,
      workspaceId,
      path,
      body: { name: 'New', liveQuota: 1000, burstLimit: null, secondFactorRequired: false },
      entries: [
        {
          kind: 'workspace.renamed',
          ...target,
          changes: [{ field: 'name', before: rows[0]?.name ?? '', after: 'New' }],
        },
        {
          kind: 'quota.changed',
          ...target,
          changes: [{ field: 'liveQuota', before: null, after: 1000 }],
        },
        {
          kind: 'workspace.security_changed',
          ...target,
          changes: [{ field: 'secondFactorRequired', before: true, after: false }],
        },
      ],
    };
  },
  'DELETE /workspaces/:workspaceId': byOwner(async (world, { workspaceId, path }) => {
    const target = await targetOf(world, workspaceId);
    return {
      path,
      body: { name: target.targetLabel },
      entries: [{ kind: 'workspace.deleted', ...target }],
    };
  }),
  'POST /workspaces/:workspaceId/restore': byOwner(async (world, { workspaceId, path }) => {
    await world.service.pool.query('update workspaces set deleted_at = now() where id = $1', [workspaceId]);
    const target = await targetOf(world, workspaceId);
    return { path: `${path}/restore`, body: {}, entries: [{ kind: 'workspace.restored', ...target }] };
  }),
  'PATCH /workspaces/:workspaceId/members/:memberId': byOwner(async (world, { workspaceId, path }) => {
    const viewer = await world.dashboard.member(workspaceId, 'viewer');
    return {
      path: `${path}/members/${await membershipOf(world, workspaceId, viewer.userId)}`,
      body: { role: 'admin' },
      entries: [
        {
          kind: 'member.role_changed',
          ...member(viewer),
          changes: [{ field: 'role', before: 'viewer', after: 'admin' }],
        },
      ],
    };
  }),
  'POST /workspaces/:workspaceId/members/:memberId/password-reset': byOwner(
    async (world, { workspaceId, path }) => {
      const viewer = await onlyMember(world, workspaceId);
      return {
        path: `${path}/members/${await membershipOf(world, workspaceId, viewer.userId)}/password-reset`,
        body: {},
        entries: [{ kind: 'account.reset_link_created', ...member(viewer) }],
      };
    },
  ),
  'DELETE /workspaces/:workspaceId/members/:memberId': byOwner(async (world, { workspaceId, path }) => {
    const admin = await world.dashboard.member(workspaceId, 'admin');
    const email = newEmail();
    await admin.send('POST', `${path}/invitations`, { email, role: 'viewer' });
    return {
      path: `${path}/members/${await membershipOf(world, workspaceId, admin.userId)}`,
      entries: [
        { kind: 'member.removed', ...member(admin), details: { role: 'admin' } },
        {
          kind: 'invitation.withdrawn',
          targetType: 'invitation',
          targetLabel: email,
          details: { role: 'viewer' },
        },
      ],
    };
  }),
  'POST /workspaces/:workspaceId/invitations': async (world) => {
    const { owner, workspaceId, path, email, target } = await invited(world);
    return {
      as: owner,
      workspaceId,
      path: `${path}/invitations`,
      // The second invitation of the same person replaces the first.
      body: { email: email.toUpperCase(), role: 'viewer' },
      entries: [
        { kind: 'member.invited', targetType: 'invitation', targetLabel: email, details: { role: 'viewer' } },
        { kind: 'invitation.withdrawn', ...target, details: { role: 'admin' } },
      ],
    };
  },
  'DELETE /workspaces/:workspaceId/invitations/:invitationId': async (world) => {
    const { owner, workspaceId, path, target } = await invited(world);
    return {
      as: owner,
      workspaceId,
      path: `${path}/invitations/${target.targetId}`,
      entries: [{ kind: 'invitation.withdrawn', ...target, details: { role: 'admin' } }],
    };
  },
  'POST /workspaces/:workspaceId/imports/:resource': byOwner(async (_, { path }) => {
    return {
      path: `${path}/imports/companies?fileName=${encodeURIComponent('März, neu.ndjson')}`,
      options: {
        payload: '{"id":"com_a","name":"Acme"}\n{"id":"com_a","name":"Acme"}\n{}\n',
        headers: { 'content-type': 'application/x-ndjson' },
      },
      entries: [
        {
          kind: 'records.imported',
          targetType: 'import',
          targetLabel: 'März, neu.ndjson',
          resource: 'companies',
          records: 1,
          details: { existing: 1, refused: 1, finished: true },
        },
      ],
    };
  }),
  'GET /workspaces/:workspaceId/log/export': byOwner(async (_, { workspaceId, path }) => {
    return {
      path: `${path}/log/export?format=csv&kind=key.created`,
      entries: [
        {
          kind: 'log.exported',
          targetType: 'workspace',
          targetId: workspaceId,
          targetLabel: 'Test',
          details: { format: 'csv', filters: 'kind=key.created' },
        },
      ],
    };
  }),
};
