import type { Queryable } from '@svc/turns/lane';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { ActorContext } from '../../audit-log/actor.ts';
import { statement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import { recordPersonal } from '../auth/events.ts';
import type { DashboardContext } from '../context.ts';
import { disconnect } from '../openid/accounts.ts';
import { defineBody, emptyBody, newPassword, text } from '../requests/body.ts';
import { deviceCookie } from '../requests/cookies.ts';
import { type EndReason, endSessions } from '../requests/ended-sessions.ts';
import { anonymous, confirmRole, setCookies } from '../requests/session.ts';
import type { IssuedResetLink, PasswordResetOffer } from '../wire.ts';
import { hashPassword, lockPerson, saveAccount } from './accounts.ts';
import { createPasswordResetLink, endWaitingSignIns, findLink, staleLink, useLink } from './links.ts';
import { findMember } from './members.ts';

const read = defineBody({ token: text });
const reset = defineBody({ token: text, password: newPassword });

type OneMember = { Params: { memberId: string } };

const selectEmail = statement('email_of_user', 'request')`select email from users where id = $1`;

/** A new password by a one-time link. An owner creates it for a member, the operator for anyone. */
export function registerPasswordReset(
  api: FastifyInstance,
  { pool, auth, sessions, publicUrl }: DashboardContext,
): void {
  api.post<OneMember>(
    '/workspaces/:workspaceId/members/:memberId/password-reset',
    async (request, reply): Promise<IssuedResetLink> => {
      const access = await sessions.member(request, reply, 'account.recover');
      emptyBody(request.body);
      const { workspaceId, person, by } = access;
      const issued = await auth.database.transact(by, async (client) => {
        const { email, userId } = await findMember(client, workspaceId, request.params.memberId);
        await lockPerson(client, userId);
        await confirmRole(client, access);
        await requireResettable(client, person.id, userId);
        const link = await createPasswordResetLink(client, publicUrl, userId, person.id);
        await recordPersonal(client, by, { id: userId }, { kind: 'account.reset_link_created' });
        return { email, ...link };
      });
      reply.code(201);
      return issued;
    },
  );

  api.post('/password-reset/read', async (request): Promise<PasswordResetOffer> => {
    const { subject } = await findLink(pool, 'password-reset', read(request.body).token);
    const { rows } = await pool.query<PasswordResetOffer>(selectEmail(subject));
    const [offer] = rows;
    if (offer === undefined) throw staleLink('password-reset');
    return offer;
  });

  api.post('/password-reset', async (request, reply) => {
    const { token, password } = reset(request.body);
    await findLink(pool, 'password-reset', token);
    const passwordHash = await hashPassword(auth, password);
    const by = anonymous(request);
    const userId = await auth.database.transact(by, async (client) => {
      const userId = await takeResetLink(client, token);
      await resetPassword(client, by, userId, passwordHash, 'link');
      return userId;
    });
    // The person can sign in on this device even if strangers have used up the attempts of unknown devices.
    setCookies(reply, [await deviceCookie(auth, request, userId)]);
    return reply.code(204).send();
  });
}

async function requireResettable(client: Queryable, ownerId: string, userId: string): Promise<void> {
  if (await mayResetPassword(client, ownerId, userId)) return;
  throw new ApiError(
    'insufficient_scope',
    'You can create a reset link only for a member who owns no workspace and belongs only to workspaces that you own. ' +
      'For other people, ask the operator: svcd user reset-password.',
  );
}

const selectAllowed = statement('may_reset_password', 'request')`
  select count(*) > 0 and bool_and(m.role <> 'owner' and o.role is not distinct from 'owner') as allowed
  from members m left join members o on o.workspace_id = m.workspace_id and o.user_id = $1
  where m.user_id = $2`;

/**
 * Whether an owner may create a reset link for the person. The owner could use the link to sign in as the person.
 * Therefore the owner must own every workspace of the person, and the person must own none.
 */
async function mayResetPassword(client: Queryable, ownerId: string, userId: string): Promise<boolean> {
  const { rows } = await client.query<{ allowed: boolean }>(selectAllowed(ownerId, userId));
  return rows[0]?.allowed === true;
}

/** Uses a reset link up; returns the id of its person. Throws `invalid_body` if the link may not be used. */
export async function takeResetLink(client: pg.ClientBase, token: string): Promise<string> {
  const { subject: userId } = await findLink(client, 'password-reset', token);
  // First the person, then the link. A new link that replaces this one locks in the same order.
  await lockPerson(client, userId);
  const { madeBy } = await useLink(client, 'password-reset', token);
  if (madeBy !== null && !(await mayResetPassword(client, madeBy, userId))) throw staleLink('password-reset');
  return userId;
}

/** Sets the password, and ends what the old one gave: sessions, second steps, links, connections. `method`: for the log. */
export async function resetPassword(
  client: pg.ClientBase,
  by: ActorContext,
  userId: string,
  passwordHash: string,
  method: 'link' | 'operator',
): Promise<void> {
  if (await disconnect(client, userId))
    await recordPersonal(client, by, { id: userId }, { kind: 'account.provider_disconnected' });
  // A person who joined with OpenID Connect has no row with a password yet.
  await client.query(saveAccount(userId, 'credential', userId, passwordHash));
  const sessionsEnded = await endAccess(client, userId, 'password_changed');
  const details = { method, sessionsEnded };
  await recordPersonal(client, by, { id: userId }, { kind: 'account.password_reset', details });
}

/** Ends all sessions, unfinished sign-ins and links that sign the person in; returns the number of sessions. */
export async function endAccess(client: pg.ClientBase, userId: string, reason: EndReason): Promise<number> {
  await client.query(endWaitingSignIns(userId));
  return endSessions(client, userId, reason);
}
