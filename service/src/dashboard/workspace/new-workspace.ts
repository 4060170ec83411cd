import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { inTransaction } from '../../database/pool.ts';
import { ApiError } from '../../http/errors.ts';
import type { DashboardContext } from '../context.ts';
import { OWNED_WORKSPACES_MAX } from '../limits.ts';
import { createOwnedWorkspace } from '../people/accounts.ts';
import { defineBody, name } from '../requests/body.ts';
import { CREATES, repeatsOf } from '../requests/creations.ts';
import { acting, confirmRole, type Person } from '../requests/session.ts';
import type { Workspace } from '../wire.ts';
import { readWorkspace } from './workspaces.ts';

const create = defineBody({ name });

/** Another workspace, by somebody who owns one: whoever was only invited makes none. */
export function registerNewWorkspace(api: FastifyInstance, { pool, sessions }: DashboardContext): void {
  api.post('/workspaces', CREATES, async (request, reply): Promise<Workspace> => {
    const person = await sessions.require(request, reply);
    const { name } = create(request.body);
    const repeats = repeatsOf(request, person);
    const { workspaceId, role, repeated } = await inTransaction(pool, async (client) => {
      await confirmOwner(client, person);
      const known = await repeats.find(client);
      if (known !== undefined) {
        // Others may have removed the person from it meanwhile.
        const role = await confirmRole(client, { workspaceId: known, person });
        return { workspaceId: known, role, repeated: true };
      }
      await refuseTooMany(client, person);
      const created = await createOwnedWorkspace(client, acting(request, person), name, person.id);
      await repeats.keep(client, created);
      return { workspaceId: created, role: 'owner' as const, repeated: false };
    });
    reply.code(repeated ? 200 : 201);
    return readWorkspace(pool, { workspaceId, role });
  });
}

/** Of one person one after the other, so that the limit is exact. */
async function refuseTooMany(client: pg.ClientBase, { id }: Person): Promise<void> {
  await client.query('select 1 from users where id = $1 for no key update', [id]);
  const { rows } = await client.query<{ owned: number }>(
    `select count(*)::int as owned from members where user_id = $1 and role = 'owner'`,
    [id],
  );
  if ((rows[0]?.owned ?? 0) >= OWNED_WORKSPACES_MAX) {
    throw new ApiError(
      'conflict',
      `A person can own ${OWNED_WORKSPACES_MAX} workspaces at most. The operator can make more with svcd bootstrap.`,
    );
  }
}

/** The workspace that makes the person an owner keeps them one until the transaction ends. */
async function confirmOwner(client: pg.ClientBase, { id }: Person): Promise<void> {
  const { rowCount } = await client.query(
    `select 1 from members where user_id = $1 and role = 'owner' order by workspace_id limit 1 for share`,
    [id],
  );
  if (rowCount === 0) {
    throw new ApiError('insufficient_scope', 'Only an owner of a workspace may make another one.');
  }
}
