import { isId } from '@svc/sdk/contract';
import type { Queryable } from '@svc/turns/lane';
import type { FastifyInstance } from 'fastify';
import { appendEvent } from '../../audit-log/append-event.ts';
import { type BoundStatement, statements } from '../../database/statement.ts';
import { utc } from '../../database/utc.ts';
import { ApiError } from '../../http/errors.ts';
import { allows, ROLE_NAMES } from '../auth/permissions.ts';
import { mapAuthError } from '../auth/proxy.ts';
import type { DashboardContext } from '../context.ts';
import { defineBody, oneOf } from '../requests/body.ts';
import { authHeaders, requirePermission } from '../requests/session.ts';
import type { Member } from '../wire.ts';
import { changeMembers } from './accounts.ts';
import { withdrawInvitations } from './invitations.ts';

const change = defineBody({ role: oneOf(ROLE_NAMES) });

type OneMember = { Params: { memberId: string } };
const MEMBERS = '/workspaces/:workspaceId/members';
/** The id of the person's own membership in the path that removes it: a member who is blocked cannot read the id. */
const ME = 'me';

/** The members of a workspace. better-auth decides who may change an owner, and keeps the last owner. */
export function registerMembers(api: FastifyInstance, { pool, auth, sessions }: DashboardContext): void {
  api.get(MEMBERS, async (request, reply) => {
    const { workspaceId, role } = await sessions.member(request, reply);
    const { rows: members } = await pool.query<Member>(selectAll(workspaceId));
    return { data: allows(role, 'member.update') ? members : members.map(withoutSignIn) };
  });

  api.patch<OneMember>(`${MEMBERS}/:memberId`, async (request, reply) => {
    const access = await sessions.member(request, reply, 'member.update');
    const { workspaceId, by } = access;
    const { role } = change(request.body);
    const { id, userId } = await findMember(pool, workspaceId, request.params.memberId);
    await changeMembers(auth, access, async (client) => {
      const body = { memberId: id, role, organizationId: workspaceId };
      await mapAuthError(() => auth.api.updateMemberRole({ body, headers: authHeaders(request) }));
      await withdrawInvitations(client, by, workspaceId, userId, role);
    });
    return findMember(pool, workspaceId, id);
  });

  api.delete<OneMember>(`${MEMBERS}/:memberId`, async (request, reply) => {
    const { memberId } = request.params;
    const own = await sessions.member(request, reply, undefined, memberId === ME ? 'blocked' : undefined);
    const { workspaceId, person, by } = own;
    const { id, userId } = await findMember(pool, workspaceId, memberId, person.id);
    const leaves = userId === person.id;
    const access = leaves ? own : requirePermission(own, 'member.delete');
    await changeMembers(auth, access, async (client, role) => {
      const member = await findMember(client, workspaceId, id);
      if (member.role === 'owner' && role !== 'owner') {
        throw new ApiError('insufficient_scope', 'Only an owner can remove an owner.');
      }
      const headers = authHeaders(request);
      const organizationId = workspaceId;
      if (leaves) {
        await mapAuthError(() => auth.api.leaveOrganization({ body: { organizationId }, headers }));
        // better-auth calls no hook when a member leaves.
        await appendEvent(client, workspaceId, by, {
          kind: 'member.removed',
          target: { id: userId, label: member.email },
          details: { role: member.role },
        });
      } else {
        const body = { memberIdOrEmail: id, organizationId };
        await mapAuthError(() => auth.api.removeMember({ body, headers }));
      }
      await withdrawInvitations(client, by, workspaceId, userId, null);
    });
    return reply.code(204).send();
  });
}

/** The member as viewers see them. */
const withoutSignIn = ({ lastSignedInAt: _, secondFactor: __, ...member }: Member): Member => member;

/** Throws `not_found` if the workspace has no such member. `ownUserId`: the user that `me` means. Default: nobody. */
export async function findMember(
  client: Queryable,
  workspaceId: string,
  memberId: string,
  ownUserId?: string,
): Promise<Member> {
  const select =
    memberId === ME && ownUserId !== undefined
      ? selectOwn(workspaceId, ownUserId)
      : selectOne(workspaceId, memberId);
  const [member] = isId(memberId) ? (await client.query<Member>(select)).rows : [];
  if (member === undefined) throw new ApiError('not_found', 'There is no such member.');
  return member;
}

const membersStatement = statements('read_members', 'request');
const selectMembers = (name: string, rest: string): BoundStatement =>
  membersStatement(
    `read_${name}`,
    `select m.id, m.user_id as "userId", u.email, u.name, m.role, ${utc('m.created_at')} as "createdAt",
    ${utc('u.last_signed_in_at')} as "lastSignedInAt", u.two_factor_enabled as "secondFactor"
  from members m join users u on u.id = m.user_id where m.workspace_id = $1 ${rest}`,
  );
/** Oldest first. */
const selectAll = selectMembers('members', 'order by m.created_at, m.id');
// An index finds one member, however many there are (docs/decisions/0014).
const selectOne = selectMembers('member', 'and m.id >= $2 and m.id <= $2 order by m.id limit 1');
const selectOwn = selectMembers(
  'own_member',
  'and m.user_id >= $2 and m.user_id <= $2 order by m.user_id limit 1',
);
