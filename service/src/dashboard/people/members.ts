import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { appendEvent } from '../../audit-log/append-event.ts';
import type { Queryable } from '../../database/lane.ts';
import { utc } from '../../database/utc.ts';
import { ApiError } from '../../http/errors.ts';
import { mapAuthError } from '../auth/failure.ts';
import { ROLE_NAMES } from '../auth/roles.ts';
import type { DashboardContext } from '../context.ts';
import { defineBody, oneOf } from '../requests/body.ts';
import { authHeaders, confirmRole } from '../requests/session.ts';
import type { Member } from '../wire.ts';
import { withdrawInvitations } from './withdraw-invitations.ts';

const change = defineBody({ role: oneOf(ROLE_NAMES) });

type OneMember = { Params: { memberId: string } };
const MEMBERS = '/workspaces/:workspaceId/members';

/** Who belongs to a workspace. better-auth decides who may touch an owner, and keeps the last one. */
export function registerMembers(api: FastifyInstance, { pool, auth, sessions }: DashboardContext): void {
  api.get(MEMBERS, async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply);
    return { data: await listMembers(pool, workspaceId) };
  });

  api.patch<OneMember>(`${MEMBERS}/:memberId`, async (request, reply) => {
    const access = await sessions.member(request, reply, 'member.update');
    const { workspaceId, by } = access;
    const { role } = change(request.body);
    const { id, userId } = await findMember(pool, workspaceId, request.params.memberId);
    await auth.database.transact(by, async (client) => {
      await lockMembers(client, workspaceId);
      await confirmRole(client, access, 'member.update');
      const body = { memberId: id, role, organizationId: workspaceId };
      await mapAuthError(() => auth.api.updateMemberRole({ body, headers: authHeaders(request) }));
      await withdrawInvitations(client, by, workspaceId, userId, role);
    });
    return findMember(pool, workspaceId, id);
  });

  api.delete<OneMember>(`${MEMBERS}/:memberId`, async (request, reply) => {
    const access = await sessions.member(request, reply);
    const { workspaceId, person, by } = access;
    const { id, userId } = await findMember(pool, workspaceId, request.params.memberId);
    const leaves = userId === person.id;
    if (!leaves) await sessions.member(request, reply, 'member.delete');
    await auth.database.transact(by, async (client) => {
      await lockMembers(client, workspaceId);
      const role = await confirmRole(client, access, ...(leaves ? [] : (['member.delete'] as const)));
      const member = await findMember(client, workspaceId, request.params.memberId);
      if (member.role === 'owner' && role !== 'owner') {
        throw new ApiError('insufficient_scope', 'Only an owner can remove an owner.');
      }
      const headers = authHeaders(request);
      if (leaves) {
        await mapAuthError(() =>
          auth.api.leaveOrganization({ body: { organizationId: workspaceId }, headers }),
        );
        // better-auth has no hook for this way out.
        await appendEvent(client, workspaceId, by, {
          kind: 'member.removed',
          target: { id: userId, label: member.email },
          details: { role: member.role },
        });
      } else {
        const body = { memberIdOrEmail: id, organizationId: workspaceId };
        await mapAuthError(() => auth.api.removeMember({ body, headers }));
      }
      await withdrawInvitations(client, by, workspaceId, userId, null);
    });
    return reply.code(204).send();
  });
}

/** Changes of one workspace's members one after the other: two owners cannot remove each other at once. */
export async function lockMembers(client: pg.ClientBase, workspaceId: string): Promise<void> {
  await client.query('select 1 from workspaces where id = $1 for no key update', [workspaceId]);
}

async function findMember(client: Queryable, workspaceId: string, memberId: string): Promise<Member> {
  const found = (await listMembers(client, workspaceId)).find(({ id }) => id === memberId);
  if (found === undefined) throw new ApiError('not_found', 'There is no such member.');
  return found;
}

/** In the order in which they came. */
async function listMembers(client: Queryable, workspaceId: string): Promise<readonly Member[]> {
  const { rows } = await client.query<Member>(
    `select m.id, m.user_id as "userId", u.email, u.name, m.role, ${utc('m.created_at')} as "createdAt"
     from members m join users u on u.id = m.user_id where m.workspace_id = $1
     order by m.created_at, m.id`,
    [workspaceId],
  );
  return rows;
}
