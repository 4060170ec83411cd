import type { Connections } from '@svc/turns/lane';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { Type } from 'typebox';
import { appendEvents } from '../../audit-log/append-event.ts';
import type { NewEvent } from '../../audit-log/entry.ts';
import { inTransaction } from '../../database/pool.ts';
import { statement } from '../../database/statement.ts';
import { utc } from '../../database/utc.ts';
import { ApiError } from '../../http/errors.ts';
import { allows, type Permission, type Role } from '../auth/permissions.ts';
import type { DashboardContext } from '../context.ts';
import { BURST_LIMIT_MAX, LIVE_QUOTA_MAX, OWNED_WORKSPACES_MAX } from '../limits.ts';
import { changeMembers, createOwnedWorkspace } from '../people/accounts.ts';
import { defineBody, flag, integerOrNull, name } from '../requests/body.ts';
import { deviceCookieOfSession } from '../requests/cookies.ts';
import { CREATES, repeatsOf } from '../requests/creations.ts';
import {
  type Access,
  acting,
  confirmRole,
  noWorkspace,
  type Person,
  setCookies,
} from '../requests/session.ts';
import type { Deployment, Me, Workspace } from '../wire.ts';
import { REMOVED_AT } from './deletion.ts';

const create = defineBody({ name });
const change = defineBody({
  name: Type.Optional(name),
  liveQuota: Type.Optional(integerOrNull(0, LIVE_QUOTA_MAX)),
  burstLimit: Type.Optional(integerOrNull(1, BURST_LIMIT_MAX)),
  secondFactorRequired: Type.Optional(flag),
});
type Change = ReturnType<typeof change>;

/** The permission that a change of each field needs. */
const PERMISSIONS: Readonly<Record<keyof Change, Permission>> = {
  name: 'workspace.rename',
  liveQuota: 'quota.set',
  burstLimit: 'quota.set',
  secondFactorRequired: 'security.set',
};

type Settings = Pick<Workspace, 'name' | 'liveQuota' | 'burstLimit' | 'secondFactorRequired'>;

const selectWorkspaces = statement('workspaces_of_user', 'request')`
  select w.id, w.name, m.role, ${REMOVED_AT} as "removedAt"
  from members m cross join lateral (
    select id, name, deleted_at from workspaces where id = m.workspace_id limit 1) w
  where m.user_id = $1 order by w.name, w.id`;

type DeletedRow = Me['workspaces'][number] & { readonly removedAt: string | null };

/** The person who is signed in, the person's workspaces, and the name and limits of a workspace. */
export function registerWorkspaces(
  api: FastifyInstance,
  { pool, auth, sessions, deployment }: DashboardContext,
): void {
  api.get('/deployment', async (request, reply): Promise<Deployment> => {
    await sessions.require(request, reply);
    return deployment;
  });

  api.get('/me', async (request, reply): Promise<Me> => {
    const user = await sessions.require(request, reply);
    const { rows } = await pool.query<DeletedRow>(selectWorkspaces(user.id));
    const device = await deviceCookieOfSession(auth, request, user.id);
    if (device !== undefined) setCookies(reply, [device]);
    return {
      user,
      workspaces: rows
        .filter(({ removedAt }) => removedAt === null)
        .map(({ id, name, role }) => ({ id, name, role })),
      deletedWorkspaces: rows.flatMap(({ removedAt, ...row }) =>
        removedAt === null ? [] : [{ ...row, removedAt }],
      ),
    };
  });

  // Only an owner of a workspace may create another one. A person who was only invited cannot.
  api.post('/workspaces', CREATES, async (request, reply): Promise<Workspace> => {
    const person = await sessions.require(request, reply);
    const { name } = create(request.body);
    const repeats = repeatsOf(request, person);
    const { created, ...workspace } = await inTransaction(pool, async (client) => {
      await confirmOwner(client, person);
      const known = await repeats.find(client);
      if (known !== undefined) {
        // The role may have changed since the first request.
        const role = await confirmRole(client, { workspaceId: known, person });
        return { workspaceId: known, role, created: false };
      }
      await refuseTooMany(client, person);
      const workspaceId = await createOwnedWorkspace(client, acting(request, person), name, person.id);
      await repeats.keep(client, workspaceId);
      return { workspaceId, role: 'owner' as const, created: true };
    });
    reply.code(created ? 201 : 200);
    return readWorkspace(pool, workspace);
  });

  api.get('/workspaces/:workspaceId', async (request, reply) =>
    readWorkspace(pool, await sessions.member(request, reply)),
  );

  api.patch('/workspaces/:workspaceId', async (request, reply) => {
    const access = await sessions.member(request, reply);
    const changes = change(request.body);
    requireAllowed(access.role, changes);
    await changeMembers(auth, access, async (client, role) => {
      requireAllowed(role, changes);
      if (changes.secondFactorRequired === true) await requireOwnSecondFactor(client, access.person);
      await writeSettings(client, access, changes);
    });
    return readWorkspace(pool, access);
  });
}

const findOwnership = statement('find_ownership', 'request')`
  select workspace_id as id from members where user_id = $1 and role = 'owner' limit 1`;
const lockOwnership = statement('confirm_owner', 'request')`
  select 1 from members where workspace_id = $1 and user_id = $2 and role = 'owner' for share`;

/**
 * Locks a membership that makes the person an owner, so that the person stays one until the transaction ends. It finds the
 * membership first: a statement of a cluster locks rows of one workspace. If the role has changed since, it finds the next.
 */
async function confirmOwner(client: pg.ClientBase, { id }: Person): Promise<void> {
  for (let attempt = 0; attempt < OWNED_WORKSPACES_MAX; attempt++) {
    const { rows } = await client.query<{ id: string }>(findOwnership(id));
    const [found] = rows;
    if (found === undefined) break;
    const { rowCount } = await client.query(lockOwnership(found.id, id));
    if (rowCount === 1) return;
  }
  throw new ApiError('insufficient_scope', 'Only an owner of a workspace can create another workspace.');
}

const lockUser = statement('lock_user', 'request')`select 1 from users where id = $1 for no key update`;
const selectOwned = statement('count_owned_workspaces', 'request')`
  select count(*)::int as owned from members where user_id = $1 and role = 'owner'`;

/** Locks the person, so that two requests at the same time cannot exceed the limit. */
async function refuseTooMany(client: pg.ClientBase, { id }: Person): Promise<void> {
  await client.query(lockUser(id));
  const { rows } = await client.query<{ owned: number }>(selectOwned(id));
  if ((rows[0]?.owned ?? 0) < OWNED_WORKSPACES_MAX) return;
  throw new ApiError(
    'conflict',
    `A person can own at most ${OWNED_WORKSPACES_MAX} workspaces. The operator can create more with svcd bootstrap.`,
  );
}

function requireAllowed(role: Role, changes: Change): void {
  for (const [field, permission] of Object.entries(PERMISSIONS)) {
    if (field in changes && !allows(role, permission)) {
      throw new ApiError('insufficient_scope', `A member with the role ${role} may not change "${field}".`);
    }
  }
}

const lockFactor = statement('lock_second_factor_state', 'request')`
  select two_factor_enabled as on from users where id = $1 for share`;

/** An owner who requires a second factor of all members must have one, or would lock themself out. */
async function requireOwnSecondFactor(client: pg.ClientBase, { id }: Person): Promise<void> {
  const { rows } = await client.query<{ on: boolean }>(lockFactor(id));
  if (rows[0]?.on === true) return;
  throw new ApiError('conflict', 'Set up a second factor for your own account first.');
}

const lockSettings = statement('lock_settings', 'request')`
  select w.name, m.live_quota as "liveQuota", w.burst_limit as "burstLimit",
    w.second_factor_required as "secondFactorRequired"
  from workspaces w join live_meters m on m.workspace_id = w.id where w.id = $1 for no key update of m`;
const updateWorkspace = statement('update_workspace', 'request')`
  update workspaces set name = $2, burst_limit = $3, second_factor_required = $4 where id = $1`;
const updateQuota = statement('update_live_quota', 'request')`
  update live_meters set live_quota = $2 where workspace_id = $1`;

async function writeSettings(
  client: pg.ClientBase,
  { workspaceId, by }: Access,
  changes: Change,
): Promise<void> {
  const { rows } = await client.query<Settings>(lockSettings(workspaceId));
  const [before] = rows;
  if (before === undefined) throw noWorkspace();
  const after: Settings = { ...before, ...changes };
  await client.query(updateWorkspace(workspaceId, after.name, after.burstLimit, after.secondFactorRequired));
  await client.query(updateQuota(workspaceId, after.liveQuota));
  const target = { id: workspaceId, label: after.name };
  const changed = <Name extends keyof Settings>(...fields: readonly Name[]) =>
    fields
      .filter((field) => before[field] !== after[field])
      .map((field) => ({ field, before: before[field], after: after[field] }));
  const events: readonly NewEvent[] = [
    { kind: 'workspace.renamed', target, changes: changed('name') },
    { kind: 'quota.changed', target, changes: changed('liveQuota', 'burstLimit') },
    { kind: 'workspace.security_changed', target, changes: changed('secondFactorRequired') },
  ];
  await appendEvents(
    client,
    by,
    events
      .filter((event) => 'changes' in event && event.changes.length > 0)
      .map((event) => ({ workspaceId, event })),
  );
}

const selectWorkspace = statement('read_workspace', 'request')`
  select w.id, w.name, ${utc('w.created_at')} as "createdAt", m.live_quota as "liveQuota",
    w.burst_limit as "burstLimit", w.second_factor_required as "secondFactorRequired"
  from workspaces w join live_meters m on m.workspace_id = w.id where w.id = $1`;

/** A workspace as the member with this role sees it. */
async function readWorkspace(
  pool: Connections,
  { workspaceId, role }: Pick<Access, 'workspaceId' | 'role'>,
): Promise<Workspace> {
  const { rows } = await pool.query<Omit<Workspace, 'role'>>(selectWorkspace(workspaceId));
  const [row] = rows;
  if (row === undefined) throw noWorkspace();
  return { ...row, role };
}
