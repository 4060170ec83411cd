import type { FastifyInstance } from 'fastify';
import type { Queryable } from '../../database/lane.ts';
import { utc } from '../../database/utc.ts';
import { ApiError } from '../../http/errors.ts';
import { mapAuthError } from '../auth/failure.ts';
import { ROLE_NAMES } from '../auth/roles.ts';
import type { DashboardContext } from '../context.ts';
import { defineBody, email, oneOf } from '../requests/body.ts';
import { CREATES, repeatsOf } from '../requests/creations.ts';
import { authHeaders, confirmRole } from '../requests/session.ts';
import type { Invitation } from '../wire.ts';
import { createInvitationLink } from './links.ts';
import { lockMembers } from './members.ts';
import { recordWithdrawn } from './withdraw-invitations.ts';

const invite = defineBody({ email, role: oneOf(ROLE_NAMES) });

/** Invitations by link: an owner or admin makes one, and hands the link on; whoever opens it becomes a member. */
export function registerInvitations(
  api: FastifyInstance,
  { pool, auth, sessions, publicUrl }: DashboardContext,
): void {
  api.get('/workspaces/:workspaceId/invitations', async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply, 'invitation.create');
    return { data: await listPending(pool, workspaceId) };
  });

  api.post('/workspaces/:workspaceId/invitations', CREATES, async (request, reply) => {
    const access = await sessions.member(request, reply, 'invitation.create');
    const { workspaceId, person, by } = access;
    const body = { ...invite(request.body), organizationId: workspaceId };
    const repeats = repeatsOf(request, person);
    const made = await auth.database.transact(by, async (client) => {
      await lockMembers(client, workspaceId);
      await confirmRole(client, access, 'invitation.create');
      const known = await repeats.find(client);
      if (known !== undefined) return { id: known, link: null };
      const email = body.email.toLowerCase();
      const replaced = (await listPending(client, workspaceId)).filter((pending) => pending.email === email);
      const { id } = await mapAuthError(() =>
        auth.api.createInvitation({ body, headers: authHeaders(request) }),
      );
      await recordWithdrawn(client, by, workspaceId, replaced);
      await repeats.keep(client, id);
      return { id, link: await createInvitationLink(client, publicUrl, id) };
    });
    const invitation = (await listPending(pool, workspaceId)).find(({ id }) => id === made.id);
    if (invitation === undefined) {
      throw new ApiError(
        'conflict',
        'This invitation was accepted or withdrawn. Invite again for a new link.',
      );
    }
    return reply.code(made.link === null ? 200 : 201).send({ invitation, link: made.link });
  });

  api.delete<{ Params: { invitationId: string } }>(
    '/workspaces/:workspaceId/invitations/:invitationId',
    async (request, reply) => {
      const access = await sessions.member(request, reply, 'invitation.cancel');
      const { workspaceId, by } = access;
      const { invitationId } = request.params;
      await auth.database.transact(by, async (client) => {
        await lockMembers(client, workspaceId);
        await confirmRole(client, access, 'invitation.cancel');
        const pending = (await listPending(client, workspaceId)).filter(({ id }) => id === invitationId);
        if (pending.length === 0) throw noInvitation();
        await mapAuthError(() =>
          auth.api.cancelInvitation({ body: { invitationId }, headers: authHeaders(request) }),
        );
        await recordWithdrawn(client, by, workspaceId, pending);
      });
      return reply.code(204).send();
    },
  );
}

/** The invitations that can still be accepted, newest first. */
async function listPending(client: Queryable, workspaceId: string): Promise<readonly Invitation[]> {
  const { rows } = await client.query<Invitation>(
    `select id, email, role, ${utc('created_at')} as "createdAt", ${utc('expires_at')} as "expiresAt"
     from invitations where workspace_id = $1 and status = 'pending' and expires_at > now()
     order by created_at desc, id`,
    [workspaceId],
  );
  return rows;
}

const noInvitation = (): ApiError => new ApiError('not_found', 'There is no such invitation.');
