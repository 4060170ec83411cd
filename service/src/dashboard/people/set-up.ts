import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../http/errors.ts';
import type { DashboardContext } from '../context.ts';
import { defineBody, email, name, newPassword, text } from '../requests/body.ts';
import { anonymous, setCookies } from '../requests/session.ts';
import { createAccount, createOwnedWorkspace, hashPassword } from './accounts.ts';
import { findLink, staleLink, useLink } from './links.ts';

const setUp = defineBody({ token: text, email, password: newPassword, name, workspaceName: name });
const signIn = defineBody({ token: text });

/** Creates the first owner with the first workspace, or starts a session without a password, by a one-time link. */
export function registerSetUp(api: FastifyInstance, { pool, auth, sessions }: DashboardContext): void {
  api.post('/set-up', async (request, reply) => {
    const { token, password, workspaceName, ...account } = setUp(request.body);
    await findLink(pool, 'set-up', token);
    const passwordHash = await hashPassword(auth, password);
    const by = anonymous(request);
    const created = await auth.database.transact(by, async (client) => {
      // Nobody else becomes a user until this is committed. Only one of several links creates the owner.
      await client.query('lock table users in share row exclusive mode');
      await useLink(client, 'set-up', token);
      const { rowCount } = await client.query('select 1 from users limit 1');
      if (rowCount !== 0) {
        throw new ApiError('conflict', 'The service is already set up: it has an owner. Sign in instead.');
      }
      const userId = await createAccount(auth, { ...account, passwordHash });
      const owner = { ...by, actor: account.email.toLowerCase() };
      const workspaceId = await createOwnedWorkspace(client, owner, workspaceName, userId);
      await client.query(`delete from one_time_links where purpose = 'set-up'`);
      return { userId, workspaceId, cookies: await sessions.start(request, userId) };
    });
    setCookies(reply, created.cookies);
    return reply.code(201).send({ userId: created.userId, workspaceId: created.workspaceId });
  });

  api.post('/sign-in-link', async (request, reply) => {
    const { token } = signIn(request.body);
    const { userId, cookies } = await auth.database.transact(anonymous(request), async (client) => {
      const { subject: userId } = await useLink(client, 'sign-in', token);
      const { rowCount } = await client.query('select 1 from users where id = $1', [userId]);
      if (rowCount === 0) throw staleLink('sign-in');
      return { userId, cookies: await sessions.start(request, userId) };
    });
    setCookies(reply, cookies);
    return reply.send({ userId });
  });
}
