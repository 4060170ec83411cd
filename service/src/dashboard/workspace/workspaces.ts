import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { Type } from 'typebox';
import { appendEvents } from '../../audit-log/append-event.ts';
import type { NewEvent } from '../../audit-log/entry.ts';
import type { Connections } from '../../database/lane.ts';
import { inTransaction } from '../../database/pool.ts';
import { utc } from '../../database/utc.ts';
import { ApiError } from '../../http/errors.ts';
import { deviceCookieOfSession } from '../auth/cookies/known-device.ts';
import { allows, type Permission, type Role } from '../auth/roles.ts';
import type { DashboardContext } from '../context.ts';
import { BURST_LIMIT_MAX, LIVE_QUOTA_MAX } from '../limits.ts';
import { lockMembers } from '../people/members.ts';
import { defineBody, integerOrNull, name } from '../requests/body.ts';
import { type Access, confirmRole, setCookies } from '../requests/session.ts';
import type { Me, Workspace } from '../wire.ts';

const change = defineBody({
  name: Type.Optional(name),
  liveQuota: Type.Optional(integerOrNull(0, LIVE_QUOTA_MAX)),
  burstLimit: Type.Optional(integerOrNull(1, BURST_LIMIT_MAX)),
});
type Change = ReturnType<typeof change>;

/** What changing a field takes. */
const PERMISSIONS: Readonly<Record<keyof Change, Permission>> = {
  name: 'workspace.rename',
  liveQuota: 'quota.set',
  burstLimit: 'quota.set',
};

type Settings = Pick<Workspace, 'name' | 'liveQuota' | 'burstLimit'>;

/** Who is signed in, their workspaces, and a workspace's name and limits. */
export function registerWorkspaces(api: FastifyInstance, { pool, auth, sessions }: DashboardContext): void {
  api.get('/me', async (request, reply): Promise<Me> => {
    const user = await sessions.require(request, reply);
    const { rows } = await pool.query<Me['workspaces'][number]>(
      `select w.id, w.name, m.role from members m join workspaces w on w.id = m.workspace_id
       where m.user_id = $1 order by w.name, w.id`,
      [user.id],
    );
    const device = await deviceCookieOfSession(auth, request, user.id);
    if (device !== undefined) setCookies(reply, [device]);
    return { user, workspaces: rows };
  });

  api.get('/workspaces/:workspaceId', async (request, reply) =>
    readWorkspace(pool, await sessions.member(request, reply)),
  );

  api.patch('/workspaces/:workspaceId', async (request, reply) => {
    const access = await sessions.member(request, reply);
    const changes = change(request.body);
    refuseForbidden(access.role, changes);
    await inTransaction(pool, (client) => changeWorkspace(client, access, changes));
    return readWorkspace(pool, access);
  });
}

function refuseForbidden(role: Role, changes: Change): void {
  for (const [field, permission] of Object.entries(PERMISSIONS)) {
    if (field in changes && !allows(role, permission)) {
      throw new ApiError('insufficient_scope', `A member with the role ${role} may not change "${field}".`);
    }
  }
}

async function changeWorkspace(client: pg.ClientBase, access: Access, wanted: Change): Promise<void> {
  const { workspaceId, by } = access;
  await lockMembers(client, workspaceId);
  refuseForbidden(await confirmRole(client, access), wanted);
  const { rows } = await client.query<Settings>(
    `select w.name, m.live_quota as "liveQuota", w.burst_limit as "burstLimit"
     from workspaces w join live_meters m on m.workspace_id = w.id where w.id = $1 for no key update of m`,
    [workspaceId],
  );
  const [before] = rows;
  if (before === undefined) throw new ApiError('not_found', 'There is no such workspace.');
  const after: Settings = { ...before, ...wanted };
  await client.query('update workspaces set name = $2, burst_limit = $3 where id = $1', [
    workspaceId,
    after.name,
    after.burstLimit,
  ]);
  await client.query('update live_meters set live_quota = $2 where workspace_id = $1', [
    workspaceId,
    after.liveQuota,
  ]);
  const target = { id: workspaceId, label: after.name };
  const renamed = changesOf(before, after, ['name']);
  const limits = changesOf(before, after, ['liveQuota', 'burstLimit']);
  const events: NewEvent[] = [];
  if (renamed.length > 0) events.push({ kind: 'workspace.renamed', target, changes: renamed });
  if (limits.length > 0) events.push({ kind: 'quota.changed', target, changes: limits });
  await appendEvents(
    client,
    by,
    events.map((event) => ({ workspaceId, event })),
  );
}

const changesOf = <Name extends keyof Settings>(before: Settings, after: Settings, names: readonly Name[]) =>
  names
    .filter((field) => before[field] !== after[field])
    .map((field) => ({ field, before: before[field], after: after[field] }));

/** A workspace as the member with this role sees it. */
export async function readWorkspace(
  pool: Connections,
  { workspaceId, role }: Pick<Access, 'workspaceId' | 'role'>,
): Promise<Workspace> {
  const { rows } = await pool.query<Omit<Workspace, 'role'>>(
    `select w.id, w.name, ${utc('w.created_at')} as "createdAt", m.live_quota as "liveQuota",
       w.burst_limit as "burstLimit"
     from workspaces w join live_meters m on m.workspace_id = w.id where w.id = $1`,
    [workspaceId],
  );
  const [row] = rows;
  if (row === undefined) throw new ApiError('not_found', 'There is no such workspace.');
  return { ...row, role };
}
