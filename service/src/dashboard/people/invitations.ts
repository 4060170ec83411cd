import type { Queryable } from '@svc/turns/lane';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { Type } from 'typebox';
import type { ActorContext } from '../../audit-log/actor.ts';
import { appendEvent, appendEvents } from '../../audit-log/append-event.ts';
import { statement } from '../../database/statement.ts';
import { utc } from '../../database/utc.ts';
import { ApiError } from '../../http/errors.ts';
import { countDaily } from '../auth/attempts.ts';
import { allows, ROLE_NAMES, type Role } from '../auth/permissions.ts';
import { mapAuthError } from '../auth/proxy.ts';
import type { DashboardContext } from '../context.ts';
import { INVITATIONS_PER_DAY_MAX, LISTED_INVITATIONS_MAX } from '../limits.ts';
import { defineBody, email, name, newPassword, oneOf, text } from '../requests/body.ts';
import { CREATES, repeatsOf } from '../requests/creations.ts';
import { notSignedIn } from '../requests/ended-sessions.ts';
import { anonymous, authHeaders, type Person, setCookies } from '../requests/session.ts';
import type { Invitation, InvitationOffer } from '../wire.ts';
import {
  addMember,
  changeMembers,
  createAccount,
  findUser,
  hashPassword,
  isFull,
  lockMembers,
} from './accounts.ts';
import { createInvitationLink, findLink, staleLink, useLink } from './links.ts';

const invite = defineBody({ email, role: oneOf(ROLE_NAMES) });
const read = defineBody({ token: text });
const accept = defineBody({ token: text, name: Type.Optional(name), password: Type.Optional(newPassword) });
const newAccount = defineBody({ name, password: newPassword });

/** The link tells who creates it if the address has an account. */
const limitOf = ({ id }: Person) => ({
  of: `invitations ${id}`,
  max: INVITATIONS_PER_DAY_MAX,
  tooMany: `You have created ${INVITATIONS_PER_DAY_MAX} invitations within a day. Wait, or ask another owner or admin.`,
});

const INVITATIONS = '/workspaces/:workspaceId/invitations';

/** Invitations by link: an owner or admin creates one and shares the link. The person who opens it becomes a member. */
export function registerInvitations(
  api: FastifyInstance,
  { pool, people, auth, sessions, publicUrl }: DashboardContext,
): void {
  api.get(INVITATIONS, async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply, 'invitation.create');
    return { data: await listPending(pool, workspaceId) };
  });

  api.post(INVITATIONS, CREATES, async (request, reply) => {
    const access = await sessions.member(request, reply, 'invitation.create');
    const { workspaceId, person, by } = access;
    const body = { ...invite(request.body), organizationId: workspaceId };
    const repeats = repeatsOf(request, person);
    const create = () =>
      changeMembers(auth, access, async (client) => {
        const known = await repeats.find(client);
        if (known !== undefined) return { id: known, link: null };
        const email = body.email.toLowerCase();
        const replaced = (await listPending(client, workspaceId)).filter(
          (pending) => pending.email === email,
        );
        const headers = authHeaders(request);
        const { id } = await mapAuthError(() => auth.api.createInvitation({ body, headers }));
        await recordWithdrawn(client, by, workspaceId, replaced);
        await repeats.keep(client, id);
        return { id, link: await createInvitationLink(client, publicUrl, id) };
      });
    const isNew = ({ link }: Awaited<ReturnType<typeof create>>) => link !== null;
    const issued = await countDaily(people, limitOf(person), create, isNew);
    const invitation = (await listPending(pool, workspaceId)).find(({ id }) => id === issued.id);
    if (invitation === undefined) {
      throw new ApiError(
        'conflict',
        'This invitation was accepted or withdrawn. Invite again for a new link.',
      );
    }
    return reply.code(issued.link === null ? 200 : 201).send({ invitation, link: issued.link });
  });

  api.delete<{ Params: { invitationId: string } }>(`${INVITATIONS}/:invitationId`, async (request, reply) => {
    const access = await sessions.member(request, reply, 'invitation.cancel');
    const { workspaceId, by } = access;
    const { invitationId } = request.params;
    await changeMembers(auth, access, async (client) => {
      const pending = (await listPending(client, workspaceId)).filter(({ id }) => id === invitationId);
      if (pending.length === 0) throw new ApiError('not_found', 'There is no such invitation.');
      const headers = authHeaders(request);
      await mapAuthError(() => auth.api.cancelInvitation({ body: { invitationId }, headers }));
      await recordWithdrawn(client, by, workspaceId, pending);
    });
    return reply.code(204).send();
  });

  // The token of the link is the proof. A person who already has an account must also be signed in.
  api.post('/invitations/read', async (request): Promise<InvitationOffer> => {
    const { subject } = await findLink(pool, 'invitation', read(request.body).token);
    const { email, role, workspaceName } = await findOffer(pool, subject);
    return { email, role, workspaceName, hasAccount: (await findUser(pool, email)) !== undefined };
  });

  api.post('/invitations/accept', async (request, reply) => {
    const { token, ...given } = accept(request.body);
    const { subject: invitationId } = await findLink(pool, 'invitation', token);
    const { email, workspaceId } = await findOffer(pool, invitationId);
    const known = await findUser(pool, email);
    if (known !== undefined && (await sessions.find(request, reply))?.id !== known.id) {
      throw notSignedIn(`There is an account for ${email}. Sign in as ${email}, then open the link again.`);
    }
    const account = known === undefined ? newAccount(given) : undefined;
    const passwordHash = account === undefined ? '' : await hashPassword(auth, account.password);
    const by = anonymous(request);
    const { userId, cookies } = await auth.database.transact(by, async (client) => {
      // Withdrawing an invitation locks in the same order.
      await lockMembers(client, workspaceId);
      const { role } = await takeInvitation(client, token);
      const full = await isFull(client, workspaceId);
      const userId =
        known?.id ?? (await createAccount(auth, { email, name: account?.name ?? '', passwordHash }));
      if (await addMember(client, workspaceId, userId, role)) {
        if (full) throw new ApiError('conflict', 'The workspace is full.');
        await appendEvent(
          client,
          workspaceId,
          { ...by, actor: email },
          { kind: 'member.joined', target: { id: userId, label: email }, details: { role, invitationId } },
        );
      }
      return { userId, cookies: known === undefined ? await sessions.start(request, userId) : [] };
    });
    setCookies(reply, cookies);
    return reply.send({ userId, workspaceId });
  });
}

const selectPending = statement('pending_invitations', 'request')`
  select id, email, role, ${utc('created_at')} as "createdAt", ${utc('expires_at')} as "expiresAt"
  from invitations where workspace_id = $1 and status = 'pending' and expires_at > now()
  order by created_at desc, id limit ${LISTED_INVITATIONS_MAX}`;

/** The invitations that can be accepted, newest first. */
async function listPending(client: Queryable, workspaceId: string): Promise<readonly Invitation[]> {
  const { rows } = await client.query<Invitation>(selectPending(workspaceId));
  return rows;
}

interface Offer {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly email: string;
  readonly role: Role;
}

type Invited = Omit<Offer, 'workspaceName'> & { readonly inviterId: string };

// Two statements, so that each finds its rows by an index, whatever the statistics say (docs/decisions/0014).
const selectInvited = statement('find_invitation', 'request')`
  select workspace_id as "workspaceId", email, role, inviter_id as "inviterId" from invitations
  where id >= $1 and id <= $1 and status = 'pending' and expires_at > now() order by id limit 1`;
const selectInviter = statement('find_inviter', 'request')`
  select name as "workspaceName", (
    select role from members where workspace_id = $1 and user_id >= $2 and user_id <= $2 order by user_id limit 1
  ) as "inviterRole" from workspaces where id = $1 and deleted_at is null`;

/** Throws `invalid_body` unless the invitation is pending and the person who sent it is still allowed to send it. */
async function findOffer(client: Queryable, invitationId: string): Promise<Offer> {
  const [invited] = (await client.query<Invited>(selectInvited(invitationId))).rows;
  if (invited === undefined) throw staleLink('invitation');
  const { inviterId, ...offer } = invited;
  const { rows } = await client.query<{ workspaceName: string; inviterRole: Role | null }>(
    selectInviter(offer.workspaceId, inviterId),
  );
  const [inviter] = rows;
  if (inviter === undefined || inviter.inviterRole === null || !mayInvite(inviter.inviterRole, offer.role))
    throw staleLink('invitation');
  return { ...offer, workspaceName: inviter.workspaceName };
}

const acceptInvitation = statement('accept_invitation', 'request')`
  update invitations set status = 'accepted' where workspace_id = $1 and id = $2 and status = 'pending'`;

/** Uses the link and its invitation up. Throws `invalid_body` if either was used or withdrawn. */
async function takeInvitation(client: pg.ClientBase, token: string): Promise<Offer> {
  const { subject: invitationId } = await useLink(client, 'invitation', token);
  const offer = await findOffer(client, invitationId);
  // It may have been cancelled since the statement before.
  const { rowCount } = await client.query(acceptInvitation(offer.workspaceId, invitationId));
  if (rowCount !== 1) throw staleLink('invitation');
  return offer;
}

/** Whether a member with the role `inviter` may invite somebody as `invited`. better-auth has the same rule. */
const mayInvite = (inviter: Role, invited: Role): boolean =>
  allows(inviter, 'invitation.create') && (invited !== 'owner' || inviter === 'owner');

const cancelInvitations = statement('withdraw_invitations', 'request')`
  with withdrawn as (
    update invitations set status = 'canceled'
    where workspace_id = $1 and status = 'pending'
      and (inviter_id = $2 and role <> all($3) or $4 and email = (select email from users where id = $2))
    returning id, email, role
  ),
  links as (delete from one_time_links where purpose = 'invitation' and subject in (select id from withdrawn))
  select id, email, role from withdrawn order by id`;

/**
 * Withdraws the pending invitations that a member created and may not create with the present role, and their links.
 * `role` null: the person is no longer a member, so invitations to the person's own address end too. Called in the
 * transaction that changes the member, after {@link lockMembers}.
 */
export async function withdrawInvitations(
  client: pg.ClientBase,
  by: ActorContext,
  workspaceId: string,
  userId: string,
  role: Role | null,
): Promise<void> {
  const stay = role === null ? [] : ROLE_NAMES.filter((invited) => mayInvite(role, invited));
  const { rows } = await client.query<Withdrawn>(cancelInvitations(workspaceId, userId, stay, role === null));
  await recordWithdrawn(client, by, workspaceId, rows);
}

type Withdrawn = Pick<Invitation, 'id' | 'email' | 'role'>;

const recordWithdrawn = (
  client: pg.ClientBase,
  by: ActorContext,
  workspaceId: string,
  invitations: readonly Withdrawn[],
): Promise<void> =>
  appendEvents(
    client,
    by,
    invitations.map(({ id, email, role }) => ({
      workspaceId,
      event: { kind: 'invitation.withdrawn', target: { id, label: email }, details: { role } },
    })),
  );
