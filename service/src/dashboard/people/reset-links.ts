import { isId } from '@svc/sdk/contract';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { ApiError } from '../../http/errors.ts';
import { deviceCookie } from '../auth/cookies/known-device.ts';
import { recordPersonal } from '../auth/events.ts';
import type { DashboardContext } from '../context.ts';
import { PASSWORD_RESET_LINK_HOURS } from '../limits.ts';
import { defineBody, newPassword, text } from '../requests/body.ts';
import { anonymous, confirmRole, setCookies } from '../requests/session.ts';
import type { IssuedResetLink, PasswordResetOffer } from '../wire.ts';
import { hashPassword } from './accounts.ts';
import { createPasswordResetLink, findLink } from './links.ts';
import { lockPerson, mayResetPassword, resetPassword, takeResetLink } from './recovery.ts';
import { staleLink } from './set-up.ts';

const nothing = defineBody({});
const read = defineBody({ token: text });
const reset = defineBody({ token: text, password: newPassword });

type OneMember = { Params: { memberId: string } };

/** A new password by a one-time link, which an owner creates for a member, or the operator for anyone. */
export function registerResetLinks(
  api: FastifyInstance,
  { pool, auth, sessions, publicUrl }: DashboardContext,
): void {
  api.post<OneMember>(
    '/workspaces/:workspaceId/members/:memberId/password-reset',
    async (request, reply): Promise<IssuedResetLink> => {
      const access = await sessions.member(request, reply, 'account.recover');
      nothing(request.body);
      const { workspaceId, person, by } = access;
      const issued = await auth.database.transact(by, async (client) => {
        const member = await findMember(client, workspaceId, request.params.memberId);
        await lockPerson(client, member.userId);
        await confirmRole(client, access, 'account.recover');
        if (!(await mayResetPassword(client, person.id, member.userId))) throw notAllowed();
        const link = await createPasswordResetLink(client, publicUrl, member.userId, person.id);
        await recordPersonal(client, by, { id: member.userId }, (target) => ({
          kind: 'account.reset_link_created',
          target,
        }));
        return { email: member.email, ...link };
      });
      reply.code(201);
      return issued;
    },
  );

  api.post('/password-reset/read', async (request): Promise<PasswordResetOffer> => {
    const link = await findLink(pool, 'password-reset', read(request.body).token);
    const { rows } = await pool.query<PasswordResetOffer>('select email from users where id = $1', [
      link?.subject ?? null,
    ]);
    const [offer] = rows;
    if (offer === undefined) throw staleLink(PASSWORD_RESET_LINK_HOURS);
    return offer;
  });

  api.post('/password-reset', async (request, reply) => {
    const { token, password } = reset(request.body);
    if ((await findLink(pool, 'password-reset', token)) === undefined) {
      throw staleLink(PASSWORD_RESET_LINK_HOURS);
    }
    const passwordHash = await hashPassword(auth, password);
    const by = anonymous(request);
    const userId = await auth.database.transact(by, async (client) => {
      const userId = await takeResetLink(client, token);
      if (userId === undefined) throw staleLink(PASSWORD_RESET_LINK_HOURS);
      await resetPassword(client, by, userId, passwordHash, 'link');
      return userId;
    });
    // So that the person can sign in here although strangers use up the attempts of unknown devices.
    setCookies(reply, [await deviceCookie(auth, request, userId)]);
    return reply.code(204).send();
  });
}

async function findMember(
  client: pg.ClientBase,
  workspaceId: string,
  memberId: string,
): Promise<{ readonly userId: string; readonly email: string }> {
  if (!isId(memberId)) throw noMember();
  const { rows } = await client.query<{ userId: string; email: string }>(
    `select u.id as "userId", u.email from members m join users u on u.id = m.user_id
     where m.workspace_id = $1 and m.id = $2`,
    [workspaceId, memberId],
  );
  const [member] = rows;
  if (member === undefined) throw noMember();
  return member;
}

const noMember = (): ApiError => new ApiError('not_found', 'There is no such member.');

const notAllowed = (): ApiError =>
  new ApiError(
    'insufficient_scope',
    'You can create a reset link only for a member who owns no workspace and belongs to no workspace that you do not ' +
      'own. For others the operator does it: svcd user reset-password.',
  );
