import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { Type } from 'typebox';
import { addMember, createAccount, findUser, hashPassword } from './accounts.ts';
import type { Role } from './auth/roles.ts';
import { defineBody, name, newPassword, text } from './body.ts';
import { INVITATION_HOURS } from './limits.ts';
import { findLink, useLink } from './links.ts';
import { notSignedIn, setCookies } from './session.ts';
import { type LinkRoutes, staleLink } from './set-up.ts';
import type { InvitationOffer } from './wire.ts';

const read = defineBody({ token: text });
const accept = defineBody({ token: text, name: Type.Optional(name), password: Type.Optional(newPassword) });
const newcomer = defineBody({ name, password: newPassword });

interface Pending {
  readonly id: string;
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly email: string;
  readonly role: Role;
}

/** The side of the person who was invited. The link's token is the proof; an account that exists must sign in too. */
export function registerAcceptance(api: FastifyInstance, { pool, auth, sessions }: LinkRoutes): void {
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
    const { email } = await pendingOf(token);
    const known = await findUser(pool, email);
    if (known !== undefined && (await sessions.find(request, reply))?.id !== known.id) {
      throw notSignedIn(`There is an account for ${email}. Sign in as ${email}, then open the link again.`);
    }
    const account = known === undefined ? newcomer(given) : undefined;
    const passwordHash = account === undefined ? '' : await hashPassword(auth, account.password);
    const accepted = await auth.database.transact(async (client) => {
      const { workspaceId, role } = await takeInvitation(client, token);
      const userId =
        known?.id ?? (await createAccount(auth, { email, name: account?.name ?? '', passwordHash }));
      await addMember(client, workspaceId, userId, role);
      const cookies = known === undefined ? await sessions.start(request, userId) : [];
      return { userId, workspaceId, cookies };
    });
    setCookies(reply, accepted.cookies);
    return reply.send({ userId: accepted.userId, workspaceId: accepted.workspaceId });
  });
}

async function findPending(pool: pg.Pool, invitationId: string): Promise<Pending | undefined> {
  const { rows } = await pool.query<Pending>(
    `select i.id, i.workspace_id, w.name as workspace_name, i.email, i.role
     from invitations i join workspaces w on w.id = i.workspace_id
     where i.id = $1 and i.status = 'pending' and i.expires_at > now()`,
    [invitationId],
  );
  return rows[0];
}

/** Uses the link and its invitation up, each once. */
async function takeInvitation(
  client: pg.ClientBase,
  token: string,
): Promise<{ readonly workspaceId: string; readonly role: Role }> {
  const link = await useLink(client, 'invitation', token);
  const { rows } = await client.query<{ workspaceId: string; role: Role }>(
    `update invitations set status = 'accepted' where id = $1 and status = 'pending' and expires_at > now()
     returning workspace_id as "workspaceId", role`,
    [link?.subject ?? ''],
  );
  const [taken] = rows;
  if (taken === undefined) throw staleLink(INVITATION_HOURS);
  return taken;
}
