import type { FastifyInstance } from 'fastify';
import { statement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import type { DashboardContext } from '../context.ts';
import { defineBody, email, name, newPassword, text } from '../requests/body.ts';
import { anonymous, setCookies } from '../requests/session.ts';
import type { SetUpState } from '../wire.ts';
import { createAccount, createOwnedWorkspace, hashPassword, lockPerson } from './accounts.ts';
import { findLink, selectAnyUser, staleLink, useLink } from './links.ts';

const setUp = defineBody({ token: text, email, password: newPassword, name, workspaceName: name });
const link = defineBody({ token: text });

const lockUsers = statement('lock_users', 'control')`lock table users in share row exclusive mode`;
const deleteSetUpLinks = statement('delete_set_up_links', 'request')`
  delete from one_time_links where purpose = 'set-up' and subject is null`;

/** Creates the first owner with the first workspace, or starts a session without a password, by a one-time link. */
export function registerSetUp(api: FastifyInstance, { pool, auth, sessions }: DashboardContext): void {
  api.get('/set-up', async (): Promise<SetUpState> => {
    const { rowCount } = await pool.query(selectAnyUser());
    return { done: rowCount !== 0 };
  });

  api.post('/set-up/read', async (request, reply) => {
    await findLink(pool, 'set-up', link(request.body).token);
    return reply.code(204).send();
  });

  api.post('/set-up', async (request, reply) => {
    const { token, password, workspaceName, ...account } = setUp(request.body);
    await findLink(pool, 'set-up', token);
    const passwordHash = await hashPassword(auth, password);
    const by = anonymous(request);
    const created = await auth.database.transact(by, async (client) => {
      // Nobody else becomes a user until this is committed. Only one of several links creates the owner.
      await client.query(lockUsers());
      await useLink(client, 'set-up', token);
      const { rowCount } = await client.query(selectAnyUser());
      if (rowCount !== 0) {
        throw new ApiError('conflict', 'The service is already set up: it has an owner. Sign in instead.');
      }
      const userId = await createAccount(auth, { ...account, passwordHash });
      const owner = { ...by, actor: account.email.toLowerCase() };
      const workspaceId = await createOwnedWorkspace(client, owner, workspaceName, userId);
      await client.query(deleteSetUpLinks());
      return { userId, workspaceId, cookies: await sessions.start(request, userId) };
    });
    setCookies(reply, created.cookies);
    return reply.code(201).send({ userId: created.userId, workspaceId: created.workspaceId });
  });

  api.post('/sign-in-link', async (request, reply) => {
    const { token } = link(request.body);
    const { userId, cookies } = await auth.database.transact(anonymous(request), async (client) => {
      const { subject: userId } = await findLink(client, 'sign-in', token);
      // First the person, then the link, as a change of the password locks them.
      if ((await lockPerson(client, userId)) === undefined) throw staleLink('sign-in');
      await useLink(client, 'sign-in', token);
      return { userId, cookies: await sessions.start(request, userId) };
    });
    setCookies(reply, cookies);
    return reply.send({ userId });
  });
}
