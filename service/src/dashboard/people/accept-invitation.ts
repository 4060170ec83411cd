import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { Type } from 'typebox';
import { appendEvent } from '../../audit-log/append-event.ts';
import type { Queryable } from '../../database/lane.ts';
import type { Role } from '../auth/roles.ts';
import type { DashboardContext } from '../context.ts';
import { INVITATION_HOURS } from '../limits.ts';
import { defineBody, name, newPassword, text } from '../requests/body.ts';
import { anonymous, notSignedIn, setCookies } from '../requests/session.ts';
import type { InvitationOffer } from '../wire.ts';
import { addMember, createAccount, findUser, hashPassword } from './accounts.ts';
import { findLink, useLink } from './links.ts';
import { lockMembers } from './members.ts';
import { staleLink } from './set-up.ts';
import { mayInvite } from './withdraw-invitations.ts';

const read = defineBody({ token: text });
const accept = defineBody({ token: text, name: Type.Optional(name), password: Type.Optional(newPassword) });
const newcomer = defineBody({ name, password: newPassword });

interface Pending {
  readonly id: string;
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly email: string;
  readonly role: Role;
  /** The role that who invited has now. */
  readonly inviter_role: Role;
}

/** The side of the person who was invited. The link's token is the proof; an account that exists must sign in too. */
export function registerAcceptance(api: FastifyInstance, { pool, auth, sessions }: DashboardContext): void {
  const pendingOf = async (token: string): Promise<Pending> => {
    const link = await findLink(pool, 'invitation', token);
    const pending = link?.subject == null ? undefined : await findPending(pool, link.subject);
    if (pending === undefined) throw staleLink(INVITATION_HOURS);
    return pending;
  };

  api.post('/invitations/read', async (request): Promise<InvitationOffer> => {
    const { email, role, workspace_name } = await pendingOf(read(request.body).token);
    return {
      email,
      role,
      workspaceName: workspace_name,
      hasAccount: (await findUser(pool, email)) !== undefined,
    };
  });

  api.post('/invitations/accept', async (request, reply) => {
    const { token, ...given } = accept(request.body);
    const { email, workspace_id: workspaceId } = await pendingOf(token);
    const known = await findUser(pool, email);
    if (known !== undefined && (await sessions.find(request, reply))?.id !== known.id) {
      throw notSignedIn(`There is an account for ${email}. Sign in as ${email}, then open the link again.`);
    }
    const account = known === undefined ? newcomer(given) : undefined;
    const passwordHash = account === undefined ? '' : await hashPassword(auth, account.password);
    const by = anonymous(request);
    const accepted = await auth.database.transact(by, async (client) => {
      // Whoever withdraws an invitation locks in the same order.
      await lockMembers(client, workspaceId);
      const { id: invitationId, role } = await takeInvitation(client, token);
      const userId =
        known?.id ?? (await createAccount(auth, { email, name: account?.name ?? '', passwordHash }));
      if (await addMember(client, workspaceId, userId, role)) {
        await appendEvent(
          client,
          workspaceId,
          { ...by, actor: email },
          { kind: 'member.joined', target: { id: userId, label: email }, details: { role, invitationId } },
        );
      }
      const cookies = known === undefined ? await sessions.start(request, userId) : [];
      return { userId, workspaceId, cookies };
    });
    setCookies(reply, accepted.cookies);
    return reply.send({ userId: accepted.userId, workspaceId: accepted.workspaceId });
  });
}

/** An invitation that can be accepted: who made it is still a member, and still may. */
async function findPending(client: Queryable, invitationId: string): Promise<Pending | undefined> {
  const { rows } = await client.query<Pending>(
    `select i.id, i.workspace_id, w.name as workspace_name, i.email, i.role, m.role as inviter_role
     from invitations i
     join workspaces w on w.id = i.workspace_id
     join members m on m.workspace_id = i.workspace_id and m.user_id = i.inviter_id
     where i.id = $1 and i.status = 'pending' and i.expires_at > now()`,
    [invitationId],
  );
  return rows.find(({ inviter_role, role }) => mayInvite(inviter_role, role));
}

/** Uses the link and its invitation up, each once. */
async function takeInvitation(client: pg.ClientBase, token: string): Promise<Pending> {
  const link = await useLink(client, 'invitation', token);
  const pending = await findPending(client, link?.subject ?? '');
  if (pending === undefined) throw staleLink(INVITATION_HOURS);
  // One that is cancelled at this instant is not pending any more.
  const { rowCount } = await client.query(
    `update invitations set status = 'accepted' where workspace_id = $1 and id = $2 and status = 'pending'`,
    [pending.workspace_id, pending.id],
  );
  if (rowCount !== 1) throw staleLink(INVITATION_HOURS);
  return pending;
}
