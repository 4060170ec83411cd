import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { ApiError } from '../../http/errors.ts';
import type { DashboardContext } from '../context.ts';
import { SET_UP_LINK_HOURS, SIGN_IN_LINK_HOURS } from '../limits.ts';
import { defineBody, email, name, newPassword, text } from '../requests/body.ts';
import { anonymous, setCookies } from '../requests/session.ts';
import { createAccount, createOwnedWorkspace, hashPassword } from './accounts.ts';
import { findLink, useLink } from './links.ts';

const setUp = defineBody({ token: text, email, password: newPassword, name, workspaceName: name });
const signIn = defineBody({ token: text });

const HOURS_A_DAY = 24;

export function staleLink(hours: number): ApiError {
  const age =
    hours > HOURS_A_DAY ? `${hours / HOURS_A_DAY} days` : hours === 1 ? 'an hour' : `${hours} hours`;
  return new ApiError(
    'invalid_body',
    `The link cannot be used: it was used before, was withdrawn, or is older than ${age}. Ask for a new one.`,
  );
}

/** What one-time links open: the first owner with the first workspace, and a session without a password. */
export function registerLinks(api: FastifyInstance, { pool, auth, sessions }: DashboardContext): void {
  api.post('/set-up', async (request, reply) => {
    const { token, password, workspaceName, ...account } = setUp(request.body);
    if ((await findLink(pool, 'set-up', token)) === undefined) throw staleLink(SET_UP_LINK_HOURS);
    const passwordHash = await hashPassword(auth, password);
    const by = anonymous(request);
    const made = await auth.database.transact(by, async (client) => {
      // Nobody else becomes a user until this is committed: of two links one makes the owner.
      await client.query('lock table users in share row exclusive mode');
      if ((await useLink(client, 'set-up', token)) === undefined) throw staleLink(SET_UP_LINK_HOURS);
      await refuseSecondOwner(client);
      const userId = await createAccount(auth, { ...account, passwordHash });
      const workspaceId = await createOwnedWorkspace(
        client,
        { ...by, actor: account.email.toLowerCase() },
        workspaceName,
        userId,
      );
      await client.query(`delete from one_time_links where purpose = 'set-up'`);
      return { userId, workspaceId, cookies: await sessions.start(request, userId) };
    });
    setCookies(reply, made.cookies);
    return reply.code(201).send({ userId: made.userId, workspaceId: made.workspaceId });
  });

  api.post('/sign-in-link', async (request, reply) => {
    const { token } = signIn(request.body);
    const { userId, cookies } = await auth.database.transact(anonymous(request), async (client) => {
      const userId = (await useLink(client, 'sign-in', token))?.subject ?? undefined;
      if (userId === undefined || !(await userExists(client, userId))) throw staleLink(SIGN_IN_LINK_HOURS);
      return { userId, cookies: await sessions.start(request, userId) };
    });
    setCookies(reply, cookies);
    return reply.send({ userId });
  });
}

async function refuseSecondOwner(client: pg.ClientBase): Promise<void> {
  const { rowCount } = await client.query('select 1 from users limit 1');
  if (rowCount !== 0)
    throw new ApiError('conflict', 'The set-up is done: there is an owner. Sign in instead.');
}

async function userExists(client: pg.ClientBase, userId: string): Promise<boolean> {
  const { rowCount } = await client.query('select 1 from users where id = $1', [userId]);
  return rowCount === 1;
}
